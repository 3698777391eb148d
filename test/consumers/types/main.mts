// Uses the types of each entry point from an ES module. Invalid uses must be errors.
import {
  QrServiceClient,
  isApiError,
  isQrServiceError,
  isTransportError,
  type ErrorCode,
  type QrCode,
  type QrServiceErrorCode,
  type RateLimit,
  type Transport,
  type TransportFailure,
} from '@qr-service/core';
import { describeError, toWholeNumber } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { verifyWebhook, type EventType, type VerificationFailure } from '@qr-service/core/webhook';

const transport: Transport = undiciTransport();
const client = new QrServiceClient({ baseUrl: 'https://api.example', apiKey: 'key', transport });

/** Only compiled, never run. */
export async function use(): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const code of client.qr.list({ updatedSince: '2026-01-01T00:00:00.000Z' })) codes.push(code);
  for await (const page of client.scans.list().pages())
    page.allowedDimensions.map((name) => name.toUpperCase());
  const { body } = await client.qr.render('qr_1', { format: 'svg' });
  body satisfies Uint8Array;
  client.rateLimit satisfies RateLimit | undefined;
  // @ts-expect-error the format isn't one of the three
  await client.qr.render('qr_1', { format: 'gif' });
  // @ts-expect-error a client needs a transport
  new QrServiceClient({ baseUrl: 'https://api.example', apiKey: 'key' });
  return codes;
}

/** Error codes and event types are open unions: current values are known, future ones are allowed. */
export function branch(error: unknown, rawBody: Uint8Array): ErrorCode | EventType | undefined {
  if (isApiError(error) && error.code === 'not_found') return 'not_found';
  if (isTransportError(error)) error.code satisfies TransportFailure;
  if (isQrServiceError(error) && !isKnown(error.code)) error.code.toUpperCase();
  const { event } = verifyWebhook({ rawBody, headers: {}, secret: ['new', 'old'] });
  event.type satisfies EventType | (string & {});
  verifyWebhook({ rawBody: '', headers: new Headers(), secret: 's' });
  verifyWebhook({ rawBody: '', headers: new Map([['X-Service-Signature', 't=1,v1=a']]), secret: 's' });
  // @ts-expect-error headers can't be a string
  verifyWebhook({ rawBody: '', headers: 'X-Service-Signature: t=1', secret: 's' });
  const reason: VerificationFailure = 'signature_mismatch';
  // @ts-expect-error no such reason
  const wrong: VerificationFailure = 'bad_luck';
  return reason === wrong ? undefined : 'qr.updated';
}

/** Reads a parameter and says in words why one can't be used. */
export function read(limit: unknown): number | string {
  try {
    // @ts-expect-error a parameter has a label
    toWholeNumber(limit, { min: 1 });
    return toWholeNumber(limit, { label: 'Limit', min: 1 }) ?? 50;
  } catch (error) {
    return describeError(error).message;
  }
}

function isKnown(code: QrServiceErrorCode | (string & {})): boolean {
  const known: QrServiceErrorCode[] = [
    'not_found',
    'http_502',
    'timeout',
    'signature_mismatch',
    'invalid_input',
  ];
  // @ts-expect-error no such code
  const unknown: QrServiceErrorCode = 'bad_luck';
  return code !== unknown && known.some((other) => other === code);
}

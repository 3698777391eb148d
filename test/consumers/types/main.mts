// Uses the types of each entry point from an ES module. Invalid uses must be errors.
import {
  QrServiceClient,
  createTransport,
  idempotencyKeyFrom,
  isApiError,
  isQrServiceError,
  isTransportError,
  undiciTransport,
  WebhookVerificationError,
  type AuthHeader,
  type CallOptions,
  type ClientOptions,
  type CreateCallOptions,
  type ErrorCode,
  type QrCode,
  type QrCodeQuery,
  type QrServiceErrorCode,
  type RateLimit,
  type RenderOptions,
  type RetryOptions,
  type ScanPage,
  type ScanQuery,
  type Transport,
  type TransportFailure,
  type VerifyInput,
  type WebhookEvent,
  type WebhookSubscriptionInput,
} from '@qr-service/core';
import { describeError, toWholeNumber } from '@qr-service/core/connector';
import { verifyWebhook, type EventType, type VerificationFailure } from '@qr-service/core/webhook';

const client = new QrServiceClient({ apiKey: process.env['QR_SERVICE_API_KEY'] });

/** Only compiled, never run. */
export async function use(cursor?: string): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const code of client.qr.list({ updatedSince: '2026-01-01T00:00:00.000Z', cursor }))
    codes.push(code);
  for await (const page of client.scans.list({ cursor }).pages()) page satisfies ScanPage;
  await client.qr.create({ name: 'Table 4', targetUrl: 'https://example.com' });
  const content = { targetUrl: 'https://example.com' };
  await client.qr.create({ name: 'Table 4', mode: 'dynamic', contentType: 'url', content });
  // @ts-expect-error a target in both forms
  await client.qr.create({ name: 'Table 4', mode: 'dynamic', contentType: 'url', content, targetUrl: '' });
  // @ts-expect-error a code needs a target
  await client.qr.create({ name: 'Table 4' });
  const [code] = codes;
  // @ts-expect-error a misspelled field
  void code?.publicURL;
  // A field that the service adds.
  void (code as Record<string, unknown> | undefined)?.['color'];
  const { body } = await client.qr.render('qr_1', { format: 'svg' });
  body satisfies Uint8Array;
  client.rateLimit satisfies RateLimit | undefined;
  // @ts-expect-error the format isn't one of the three
  await client.qr.render('qr_1', { format: 'gif' });
  return codes;
}

/** Whatever the options, a user can name their types. */
export function options(): ClientOptions {
  const retry: RetryOptions = { maxAttempts: 2, budgetMs: 1000, rateLimitMs: 1000 };
  const call: CallOptions = { timeoutMs: 1000, totalTimeoutMs: 2000 };
  const create: CreateCallOptions = { ...call, idempotencyKey: idempotencyKeyFrom(['row', 1]) };
  const query: QrCodeQuery = { limit: 10 };
  const since: ScanQuery = { since: '2026-01-01T00:00:00.000Z' };
  const render: RenderOptions = { size: 512 };
  void [create, query, since, render];
  const transport: Transport = createTransport({ send: () => Promise.reject(new Error('No network.')) });
  undiciTransport() satisfies Transport;
  // @ts-expect-error the limit for attempts has another name
  const wrong: RetryOptions = { attempts: 2 };
  const authHeader: AuthHeader = 'api-key';
  return { apiKey: undefined, transport, retry: Math.random() < 1 ? retry : wrong, authHeader, ...call };
}

/** Known events narrow what their data is. Those that the service adds pass through. */
export function read(event: WebhookEvent): unknown {
  const eventTypes: WebhookSubscriptionInput['eventTypes'] = ['qr.created', 'an event of tomorrow'];
  // @ts-expect-error only events about a code have one
  void event.data.qr;
  if ((event.type as string) === 'an event of tomorrow') return event.data;
  switch (event.type) {
    case 'qr.published':
      return [event.data.qr.publicUrl, event.data.source.length];
    case 'feedback.response_received':
      // @ts-expect-error not about a code
      void event.data.qr;
      return event.data.score.toFixed();
    default:
      return [event.type.toUpperCase(), Object.keys(event.data), eventTypes];
  }
}

/** Error codes and event types are open unions: current values are known, future ones are allowed. */
export function branch(error: unknown, rawBody: Uint8Array): ErrorCode | EventType | undefined {
  if (isApiError(error) && error.code === 'not_found') return 'not_found';
  if (isTransportError(error)) error.code satisfies TransportFailure;
  if (isQrServiceError(error) && !isKnown(error.code)) error.code.toUpperCase();
  const { event } = verifyWebhook({ rawBody, headers: {}, secret: ['new', 'old'] });
  event.type satisfies EventType | (string & {});
  const input: VerifyInput = { rawBody: '', headers: {}, secret: 's' };
  if (error instanceof WebhookVerificationError) error.code satisfies VerificationFailure;
  verifyWebhook(input);
  verifyWebhook({ rawBody: '', headers: {}, secret: process.env['WEBHOOK_SECRET'] });
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
export function readLimit(limit: unknown): number | string {
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

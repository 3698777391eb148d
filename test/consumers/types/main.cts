// Uses the types of each entry point from a CommonJS module.
import type { QrCode, Transport } from '@qr-service/core';
import type { ErrorWords, FieldDefinition } from '@qr-service/core/connector';
import type { VerifiedDelivery } from '@qr-service/core/webhook';

const { QrServiceClient, isApiError } = require('@qr-service/core') as typeof import('@qr-service/core');
const { describeError, eventFields, EVENTS } =
  require('@qr-service/core/connector') as typeof import('@qr-service/core/connector');
const { verifyWebhook } = require('@qr-service/core/webhook') as typeof import('@qr-service/core/webhook');

const { undiciTransport } = require('@qr-service/core/undici') as typeof import('@qr-service/core/undici');

const transport: Transport = undiciTransport();
const client = new QrServiceClient({ apiKey: process.env['QR_SERVICE_API_KEY'], transport });

/** Only compiled, never run. */
async function use(rawBody: string): Promise<[QrCode, VerifiedDelivery]> {
  try {
    // @ts-expect-error a code's ID isn't a number
    await client.qr.get(1);
  } catch (error) {
    if (isApiError(error)) error.status.toFixed();
  }
  return [await client.qr.get('qr_1'), verifyWebhook({ rawBody, headers: {}, secret: 'secret' })];
}

/** What a connector shows of an error, and of an event. */
function show(error: unknown, words: ErrorWords): [string, readonly FieldDefinition[]] {
  // @ts-expect-error no such event
  EVENTS['qr.moved'];
  return [describeError(error, words).message, eventFields('qr.created')];
}

module.exports = { use, show };

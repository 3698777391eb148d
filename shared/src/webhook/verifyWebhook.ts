import { LIMITS } from '../contract/brand.ts';
import type { WebhookEvent } from '../contract/events.ts';
import type { VerificationFailure } from '../errors/codes.ts';
import { WebhookVerificationError } from '../errors/WebhookVerificationError.ts';
import { readDeliveryHeaders, type DeliveryHeaders, type RequestHeaders } from './deliveryHeaders.ts';
import { readEvent } from './event.ts';
import { parseSignature, signatureMatches, type ParsedSignature } from './signature.ts';

/** A delivery as it was received, and what to verify it with. */
export interface VerifyInput {
  /** The request body exactly as received: a body that was parsed and serialized again no longer matches. */
  rawBody: string | Uint8Array | ArrayBuffer;
  /** The request headers: a fetch `Headers` object or a plain object, with names in any case. */
  headers: RequestHeaders;
  /** The subscription's signing secret, or several while you replace a subscription. If undefined, `missing_secret`. */
  secret: string | readonly string[] | undefined;
  /** Maximum difference between the signed time and the clock, in seconds, either way. Default: 300. */
  toleranceSeconds?: number;
  /** The clock, in milliseconds since the epoch. Errors that it throws are passed on unchanged. Default: Date.now. */
  now?: () => number;
}

/** A delivery that passed verification. */
export interface VerifiedDelivery {
  /** The event, read from the signed body alone: the event header isn't signed. */
  event: WebhookEvent;
  /** From the delivery header, which isn't signed; undefined if missing. */
  deliveryId: string | undefined;
  /** The signed time, in seconds since the epoch. */
  timestamp: number;
}

/**
 * Verifies that a delivery comes from the service and is recent (docs/api.md#signatures), and returns its event.
 * Checks your options first, then the headers' format, the signature, the age and finally the JSON of the body.
 * @throws WebhookVerificationError with a stable `code`, whatever was received
 */
export function verifyWebhook(input: VerifyInput): VerifiedDelivery {
  const { headers, secret, now = Date.now } = input;
  const rawBody = isArrayBuffer(input.rawBody) ? new Uint8Array(input.rawBody) : input.rawBody;
  const { toleranceSeconds = LIMITS.signatureToleranceSeconds } = input;
  const secrets = Array.isArray(secret) ? [...(secret as string[])] : [secret as string];
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each === ''))
    throw refusal('missing_secret', 'The signing secret is missing or empty.');
  if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody))
    throw refusal('invalid_input', 'The raw body must be a string or a Uint8Array, as received.');
  if (typeof headers !== 'object' || (headers as unknown) === null)
    throw refusal('invalid_input', "The delivery's headers must be an object.");
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds <= 0)
    throw refusal('invalid_input', 'The tolerance must be a number of seconds above 0.');
  if (typeof now !== 'function')
    throw refusal('invalid_input', 'The clock must be a function that returns milliseconds.');

  const received = readDeliveryHeaders(headers);
  const signature = readSignature(received);
  if (!signatureMatches(signature, rawBody, secrets))
    throw refusal('signature_mismatch', "The delivery's signature does not match its body.");

  const timestamp = Number(signature.timestamp);
  const clock = now();
  if (!Number.isFinite(clock) || Math.abs(clock / 1000 - timestamp) > toleranceSeconds)
    throw refusal(
      'timestamp_out_of_tolerance',
      `The delivery was signed more than ${toleranceSeconds} s from now.`,
    );

  const event = readEvent(rawBody);
  if (event === undefined) throw refusal('invalid_body', "The delivery's body is not a valid event.");
  // An empty ID doesn't identify a delivery.
  return { event, deliveryId: received.delivery === '' ? undefined : received.delivery, timestamp };
}

/** By its tag: a body may come from another realm. */
function isArrayBuffer(body: VerifyInput['rawBody']): body is ArrayBuffer {
  return Object.prototype.toString.call(body) === '[object ArrayBuffer]';
}

function readSignature({ signature, signatureV0, timestamp }: DeliveryHeaders): ParsedSignature {
  if (signature === undefined) {
    if (signatureV0 === undefined) throw refusal('missing_header', 'The delivery has no signature.');
    throw refusal(
      'deprecated_scheme',
      "The delivery has only the deprecated V0 signature, which doesn't prevent replays.",
    );
  }
  const parsed = parseSignature(signature);
  if (parsed === undefined)
    throw refusal('malformed_header', "The delivery's signature header can't be read.");
  // Only t is signed: a timestamp header that differs from it was tampered with.
  if (timestamp !== undefined && timestamp !== parsed.timestamp)
    throw refusal('malformed_header', "The delivery's timestamp header doesn't match the signed time.");
  return parsed;
}

function refusal(code: VerificationFailure, message: string): WebhookVerificationError {
  return new WebhookVerificationError(code, message);
}

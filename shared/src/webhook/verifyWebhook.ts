import { LIMITS } from '../contract/limits.ts';
import type { WebhookEvent } from '../contract/events.ts';
import { readDeliveryHeaders, type DeliveryHeaders, type RequestHeaders } from './deliveryHeaders.ts';
import { readEvent } from './readEvent.ts';
import { parseSignature, signatureMatches, type ParsedSignature } from './signature.ts';
import type { VerificationFailure } from '../errors/codes.ts';
import { isWebhookVerificationError, WebhookVerificationError } from '../errors/WebhookVerificationError.ts';

/** A delivery as it came, and what it is held against. */
export interface VerifyInput {
  /** The body's bytes as they came: parsed and written anew, they no longer match. */
  rawBody: string | Uint8Array;
  /**
   * The request's headers: a fetch `Headers` object, a Map or a plain object, in any case; `X-Service-Signature` and its
   * neighbours.
   */
  headers: RequestHeaders;
  /** The subscription's signing secret; several while one is being replaced. */
  secret: string | readonly string[];
  /**
   * Maximum difference between the signed time and the clock, in seconds, either way.
   * @default 300
   */
  toleranceSeconds?: number;
  /**
   * The clock, in milliseconds since the epoch. What it throws is passed on as it is.
   * @default Date.now
   */
  now?: () => number;
  /**
   * The brand word in `X-<prefix>-…` headers.
   * @default 'Service'
   */
  headerPrefix?: string;
}

/** A genuine delivery. */
export interface VerifiedDelivery {
  /** The type, too, is the body's: the event header is not signed. */
  event: WebhookEvent;
  /** From the delivery header, which is not signed; undefined where it is missing. */
  deliveryId: string | undefined;
  /** The signed time, in seconds since the epoch. */
  timestamp: number;
}

/**
 * Proves that a delivery is the service's own and fresh (API text, "Verification rules"). Looks at the
 * configuration first, then at the headers' grammar, the signature, the age and last at the body's JSON.
 * @throws WebhookVerificationError with a stable `reason`; nothing else, whatever the input
 */
export function verifyWebhook(input: VerifyInput): VerifiedDelivery {
  const { rawBody, secrets, toleranceSeconds, now, headers } = readInput(input);
  const signature = readSignature(headers);
  if (!signatureMatches(signature, rawBody, secrets))
    throw verificationError('signature_mismatch', "The delivery's signature does not match its body.");

  const timestamp = Number(signature.timestamp);
  const clock = now();
  if (!Number.isFinite(clock) || Math.abs(clock / 1000 - timestamp) > toleranceSeconds)
    throw verificationError(
      'timestamp_out_of_tolerance',
      `The delivery was signed more than ${toleranceSeconds} s from now.`,
    );

  const event = readEvent(rawBody);
  if (event === undefined) throw verificationError('invalid_body', "The delivery's body is no event.");
  // An empty id tells no delivery from another.
  return { event, deliveryId: headers.delivery === '' ? undefined : headers.delivery, timestamp };
}

interface CheckedInput {
  rawBody: string | Uint8Array;
  secrets: readonly string[];
  toleranceSeconds: number;
  now: () => number;
  headers: DeliveryHeaders;
}

/** Takes the input, each thing once, so that an object that changes or throws when it is read does no harm. */
function readInput(input: VerifyInput): CheckedInput {
  try {
    const { rawBody, headers, headerPrefix } = input;
    const { secret, toleranceSeconds = LIMITS.signatureToleranceSeconds, now = Date.now } = input;
    const secrets = readSecrets(secret);
    if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody))
      throw verificationError('invalid_input', 'The raw body must be a string or a Uint8Array, as it came.');
    if (typeof headers !== 'object' || (headers as unknown) === null)
      throw verificationError('invalid_input', "The delivery's headers must be an object.");
    if (!Number.isFinite(toleranceSeconds) || toleranceSeconds <= 0)
      throw verificationError('invalid_input', 'The tolerance must be a number of seconds above 0.');
    if (typeof now !== 'function')
      throw verificationError('invalid_input', 'The clock must be a function that returns milliseconds.');
    return { rawBody, secrets, toleranceSeconds, now, headers: readDeliveryHeaders(headers, headerPrefix) };
  } catch (error) {
    if (isWebhookVerificationError(error)) throw error;
    throw verificationError('invalid_input', 'The delivery cannot be read.');
  }
}

function readSecrets(secret: unknown): string[] {
  const secrets: unknown[] = Array.isArray(secret) ? secret : [secret];
  const checked: string[] = [];
  // By index, as a hole in an array is no secret either.
  for (let index = 0; index < secrets.length; index++) {
    const entry = secrets[index];
    if (typeof entry !== 'string' || entry === '') throw missingSecret();
    checked.push(entry);
  }
  if (checked.length === 0) throw missingSecret();
  return checked;
}

function missingSecret(): WebhookVerificationError {
  return verificationError('missing_secret', 'There is no signing secret to verify the delivery with.');
}

function readSignature(headers: DeliveryHeaders): ParsedSignature {
  if (headers.signature === undefined) {
    if (headers.signatureV0 === undefined)
      throw verificationError('missing_header', 'The delivery carries no signature.');
    throw verificationError(
      'deprecated_scheme',
      'The delivery carries only the deprecated V0 signature, which can be replayed.',
    );
  }
  const signature = parseSignature(headers.signature);
  if (signature === undefined)
    throw verificationError('malformed_header', "The delivery's signature header can't be read.");
  // t is signed, the timestamp header is not: a header that says something else was tampered with.
  if (headers.timestamp !== undefined && headers.timestamp.trim() !== signature.timestamp)
    throw verificationError(
      'malformed_header',
      "The delivery's timestamp header disagrees with the signed time.",
    );
  return signature;
}

function verificationError(reason: VerificationFailure, message: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, message);
}

import { headerNames } from '../contract/headers.ts';
import { LIMITS } from '../contract/limits.ts';
import type { WebhookEvent } from '../contract/types.ts';
import type { WireHeaders } from '../wire/headers.ts';
import { deliveryHeader } from './deliveryHeader.ts';
import { readEvent } from './readEvent.ts';
import { parseSignature, signatureMatches } from './signature.ts';
import { WebhookVerificationError } from './WebhookVerificationError.ts';

/** A delivery as it came, and what it is held against. */
export interface VerifyInput {
  /** The body's bytes as they came: parsed and written anew, they no longer match. */
  rawBody: string | Uint8Array;
  headers: WireHeaders;
  /** The subscription's signing secret; several while one is being replaced. */
  secret: string | readonly string[];
  /** Seconds that the signed time may differ from the clock, either way. Default 300. */
  toleranceSeconds?: number;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** The brand word in `X-<prefix>-…` headers. Default `Service`. */
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
 * Proves that a delivery is the service's own and fresh (API text, "Verification rules").
 * @throws WebhookVerificationError with a stable `reason`; nothing else
 */
export function verifyWebhook(input: VerifyInput): VerifiedDelivery {
  const { rawBody, headers } = input;
  const toleranceSeconds = input.toleranceSeconds ?? LIMITS.signatureToleranceSeconds;
  const secrets = checkConfiguration(input, toleranceSeconds);
  const names = headerNames(input.headerPrefix);

  const header = deliveryHeader(headers, names.signature);
  if (header === undefined) throw unsigned(deliveryHeader(headers, names.signatureV0) !== undefined);
  const parsed = parseSignature(header);
  if (parsed === undefined)
    throw refuse('malformed_header', "The delivery's signature header can't be read.");
  // t is signed, the timestamp header is not: a header that says something else was tampered with.
  const said = deliveryHeader(headers, names.timestamp);
  if (said !== undefined && said.trim() !== parsed.timestamp)
    throw refuse('malformed_header', "The delivery's timestamp header disagrees with the signed time.");

  if (!signatureMatches(parsed, rawBody, secrets))
    throw refuse('signature_mismatch', "The delivery's signature does not match its body.");

  const timestamp = Number(parsed.timestamp);
  const nowSeconds = (input.now ?? Date.now)() / 1000;
  if (!(Math.abs(nowSeconds - timestamp) <= toleranceSeconds))
    throw refuse(
      'timestamp_out_of_tolerance',
      `The delivery was signed more than ${toleranceSeconds} s from now.`,
    );

  const event = readEvent(rawBody);
  if (event === undefined) throw refuse('invalid_body', "The delivery's body is no event.");
  return { event, deliveryId: deliveryHeader(headers, names.delivery), timestamp };
}

function checkConfiguration(input: VerifyInput, toleranceSeconds: number): string[] {
  const { secret, rawBody, headers } = input;
  const secrets = (Array.isArray(secret) ? secret : [secret]) as unknown[];
  if (secrets.length === 0 || secrets.some((entry) => typeof entry !== 'string' || entry === ''))
    throw refuse('missing_secret', 'There is no signing secret to verify the delivery with.');
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw refuse('invalid_input', 'The raw body must be a string or bytes.');
  if (typeof headers !== 'object' || (headers as unknown) === null)
    throw refuse('invalid_input', "The delivery's headers are missing.");
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds <= 0)
    throw refuse('invalid_input', 'The tolerance must be a number of seconds above 0.');
  return secrets as string[];
}

function unsigned(hasV0: boolean): WebhookVerificationError {
  return hasV0
    ? refuse(
        'deprecated_scheme',
        'The delivery carries only the deprecated V0 signature, which can be replayed.',
      )
    : refuse('missing_header', 'The delivery carries no signature.');
}

function refuse(reason: ConstructorParameters<typeof WebhookVerificationError>[0], message: string) {
  return new WebhookVerificationError(reason, message);
}

import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA256 over `<timestamp>.<body>` (docs/api.md#signatures), as hex: Node returns a string faster than a Buffer. */
function hexHmac(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** What `signWebhook` signs. */
export interface SignInput {
  /** The request body; a string is signed as UTF-8. */
  body: string | Uint8Array;
  /** The subscription's signing secret. */
  secret: string;
  /** Whole seconds since the epoch. */
  timestamp: number;
}

/** Signs a delivery as the service does, to test a receiver. Returns `X-Service-Signature`: `t=<timestamp>,v1=<hex>`. */
export function signWebhook({ body, secret, timestamp }: SignInput): string {
  return `t=${timestamp},v1=${hexHmac(secret, String(timestamp), body)}`;
}

export interface ParsedSignature {
  /** The digits exactly as they were signed. */
  timestamp: string;
  signatures: Buffer[];
}

const LONGEST_HEADER = 1024;
const MOST_SIGNATURES = 8;
const SECONDS = /^[1-9]\d{0,11}$/;
/** In one case, as mixed ones are a sign of tampering. `Buffer.from` would stop silently at a character that isn't hex. */
const SHA256_HEX = /^(?:[\da-f]{64}|[\dA-F]{64})$/;

/**
 * Parses a signature header: pairs separated by commas, exactly one `t`, one to eight `v1`, other schemes ignored. Strict
 * digits prevent a replay that moves the boundary between timestamp and body to another dot in the body.
 */
export function parseSignature(header: string): ParsedSignature | undefined {
  if (header.length > LONGEST_HEADER) return undefined;
  let timestamp: string | undefined;
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const pair = part.trimStart();
    if (pair.startsWith('t=')) {
      const value = pair.slice('t='.length);
      if (timestamp !== undefined || !SECONDS.test(value)) return undefined;
      timestamp = value;
    } else if (pair.startsWith('v1=')) {
      const value = pair.slice('v1='.length);
      if (signatures.length === MOST_SIGNATURES || !SHA256_HEX.test(value)) return undefined;
      signatures.push(Buffer.from(value, 'hex'));
    }
  }
  return timestamp === undefined || signatures.length === 0 ? undefined : { timestamp, signatures };
}

/** Whether any of the secrets matches any of the signatures. Compares every pair in constant time, without an early exit. */
export function signatureMatches(
  parsed: ParsedSignature,
  body: string | Uint8Array,
  secrets: readonly string[],
): boolean {
  let matches = false;
  for (const secret of secrets) {
    const expected = Buffer.from(hexHmac(secret, parsed.timestamp, body), 'hex');
    for (const signature of parsed.signatures) matches = timingSafeEqual(expected, signature) || matches;
  }
  return matches;
}

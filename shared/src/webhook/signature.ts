import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA256 over `<timestamp>.<body>` (API text, "Verification rules", 1). */
export function hmac(secret: string, timestamp: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}

/** What is to be signed. */
export interface SignInput {
  body: string | Uint8Array;
  secret: string;
  /** Seconds since the epoch. */
  timestamp: number;
}

/** The signature header of a delivery, `t=<timestamp>,v1=<hex>`: what the service sends, for tests and emulation. */
export function signWebhook({ body, secret, timestamp }: SignInput): string {
  return `t=${timestamp},v1=${hmac(secret, String(timestamp), body).toString('hex')}`;
}

/** A signature header taken apart. */
export interface ParsedSignature {
  /** The literal digits that were signed. */
  timestamp: string;
  /** Each 32 bytes. */
  signatures: Buffer[];
}

const LONGEST_HEADER = 1024;
const MOST_SIGNATURES = 8;

/**
 * Takes a signature header apart by a strict grammar, or returns undefined. Strict digits are what stops an
 * old capture from being split anew at a dot of its own body.
 */
export function parseSignature(header: string): ParsedSignature | undefined {
  if (header.length > LONGEST_HEADER) return undefined;
  let timestamp: string | undefined;
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    const scheme = part.slice(0, Math.max(equals, 0)).trim();
    const value = part.slice(equals + 1).trim();
    if (scheme === 't') {
      if (timestamp !== undefined || !/^[1-9]\d{0,11}$/.test(value)) return undefined;
      timestamp = value;
    } else if (scheme === 'v1') {
      if (signatures.length === MOST_SIGNATURES || !/^[0-9a-f]{64}$/i.test(value)) return undefined;
      signatures.push(Buffer.from(value, 'hex'));
    }
  }
  return timestamp === undefined || signatures.length === 0 ? undefined : { timestamp, signatures };
}

/** Whether any secret made any of the signatures. Compares every pair in constant time, without an early exit. */
export function signatureMatches(
  parsed: ParsedSignature,
  body: string | Uint8Array,
  secrets: readonly string[],
): boolean {
  let matches = false;
  for (const secret of secrets) {
    const expected = hmac(secret, parsed.timestamp, body);
    for (const signature of parsed.signatures) matches = timingSafeEqual(expected, signature) || matches;
  }
  return matches;
}

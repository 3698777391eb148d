import {
  isWebhookVerificationError,
  signWebhook,
  verifyWebhook,
  type VerificationFailure,
} from '@qr-service/core';
import { headerNames } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import type { Delivery } from './Delivery.ts';

/** A delivery, and what to check it with. */
export interface DiagnosisInput {
  delivery: Delivery;
  /** The subscription's signing secret. */
  secret: string;
  /** Prefix of the service's headers. */
  headerPrefix: string;
  /** The clock, in milliseconds since the epoch. */
  now: () => number;
  /** Whether it has just arrived, so that its age counts. */
  isLive: boolean;
}

/** Longer than any clock is wrong, so that the age of a captured delivery doesn't matter. */
export const ANY_AGE = 1e12;

type Details = Omit<Finding, 'id' | 'area' | 'title' | 'verdict'>;

/** A finding about a delivery. */
export const finding = (
  id: string,
  title: string,
  verdict: Finding['verdict'],
  details: Details = {},
): Finding => ({
  id: `webhooks.${id}`,
  area: 'Webhooks',
  title,
  verdict,
  ...details,
});

/** How the core's verifier judges a body with only a signature header; undefined if it accepts it. */
export function judge(header: string, body: Uint8Array, secret: string): VerificationFailure | undefined {
  try {
    const headers = { [headerNames().signature]: header };
    verifyWebhook({ rawBody: body, headers, secret, toleranceSeconds: ANY_AGE, now: () => 0 });
    return undefined;
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    return error.reason;
  }
}

/** Whether the core's verifier can read a signature header. */
export const isReadable = (header: string) => judge(header, new Uint8Array(), 'any') !== 'malformed_header';

/** Whether the signature matches, whatever the body is. */
export const isMatch = (failure: VerificationFailure | undefined) =>
  failure === undefined || failure === 'invalid_body';

/** Reads a header that the verifier can read. */
export function partsOf(header: string): { timestamp: string; signatures: string[] } {
  const parts = header.split(',').map((part) => part.replace(/^ +/, ''));
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  const signatures = parts
    .filter((part) => part.startsWith('v1='))
    .map((part) => part.slice(3).toLowerCase());
  return { timestamp, signatures };
}

/** Whether a body was signed with a secret, for any of the signatures. */
export const matcher =
  (timestamp: string, signatures: readonly string[], secret: string) => (body: Uint8Array) =>
    signatures.includes(
      signWebhook({ body, secret, timestamp: Number(timestamp) }).slice(`t=${timestamp},v1=`.length),
    );

import { BRAND, headerNames } from '@qr-service/core/connector';
import type { DeliveryFaultKind } from '../faults/deliveryFaults.ts';
import type { Delivery } from '../store/records.ts';
import { signedHeaders } from './signedHeaders.ts';

/** The message that one attempt sends. */
interface AttemptMessage {
  headers: Record<string, string>;
  body: string;
}

/** Older than any receiver tolerates. */
const STALE_BY_MS = 60 * 60 * 1000;

const NAMES = headerNames(BRAND.headerPrefix);

/**
 * Composes an attempt: correctly signed, or changed by the fault.
 * @param now milliseconds since the epoch
 * @param firstHeaders returns the headers of the delivery's first attempt, if there was one
 */
export function composeAttempt(
  delivery: Delivery,
  secret: string,
  now: number,
  fault: DeliveryFaultKind | undefined,
  firstHeaders: () => Record<string, string> | undefined,
): AttemptMessage {
  const { body } = delivery;
  const signed = () => signedHeaders(delivery, secret, now);
  switch (fault) {
    case 'wrong secret':
      return { headers: signedHeaders(delivery, `not ${secret}`, now), body };
    case 'stale timestamp':
      return { headers: signedHeaders(delivery, secret, now - STALE_BY_MS), body };
    case 'V0 only':
      return { headers: omitHeaders(signed(), NAMES.signature, NAMES.timestamp), body };
    case 'unsigned':
      return { headers: omitHeaders(signed(), NAMES.signature, NAMES.timestamp, NAMES.signatureV0), body };
    case 're-serialized body':
      return { headers: signed(), body: JSON.stringify(JSON.parse(body), null, 2) };
    case 'first signature':
      return { headers: firstHeaders() ?? signed(), body };
    default:
      return { headers: signed(), body };
  }
}

function omitHeaders(headers: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

import { createHmac } from 'node:crypto';
import { signWebhook } from '@qr-service/core';
import { BRAND, SERVICE_HEADERS as NAMES } from '@qr-service/core/connector';
import type { DeliveryFaultKind } from '../config/faults.ts';
import type { Delivery } from '../store/records.ts';

/** Older than any receiver tolerates. */
const STALE_BY_MS = 60 * 60 * 1000;

/**
 * The message that one attempt sends: correctly signed, or changed by the fault.
 * @param now milliseconds since the epoch
 */
export function composeAttempt(
  delivery: Delivery,
  secret: string,
  now: number,
  fault: DeliveryFaultKind | undefined,
): { headers: Record<string, string>; body: string } {
  const { body } = delivery;
  const headers = signedHeaders(delivery, secret, now);
  switch (fault) {
    case 'wrong secret':
      return { headers: signedHeaders(delivery, `not ${secret}`, now), body };
    case 'stale timestamp':
      return { headers: signedHeaders(delivery, secret, now - STALE_BY_MS), body };
    case 'V0 only':
      return { headers: omitHeaders(headers, NAMES.signature, NAMES.timestamp), body };
    case 'unsigned':
      return {
        headers: omitHeaders(headers, NAMES.signature, NAMES.timestamp, NAMES.signatureV0),
        body,
      };
    case 're-serialized body':
      return { headers, body: JSON.stringify(JSON.parse(body), null, 2) };
    default:
      return { headers, body };
  }
}

/** The headers of an attempt (docs/api.md#deliveries). A retry keeps the delivery ID and gets a new signature. */
function signedHeaders(
  { id, eventType, body }: Delivery,
  secret: string,
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1000);
  return {
    'Content-Type': 'application/json',
    'User-Agent': `${BRAND.name.replaceAll(' ', '-')}-Webhooks/1.0`,
    [NAMES.timestamp]: String(timestamp),
    [NAMES.signature]: signWebhook({ body, secret, timestamp }),
    [NAMES.signatureV0]: createHmac('sha256', secret).update(body).digest('hex'),
    [NAMES.delivery]: id,
    [NAMES.event]: eventType,
  };
}

function omitHeaders(headers: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

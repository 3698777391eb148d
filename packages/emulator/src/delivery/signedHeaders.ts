import { createHmac } from 'node:crypto';
import { BRAND, headerNames } from '@qr-service/core/connector';
import { signWebhook } from '@qr-service/core';
import type { Delivery } from '../store/records.ts';

const NAMES = headerNames(BRAND.headerPrefix);

/**
 * The headers of one attempt (API text, "Delivery headers"). A retry keeps the delivery id and gets a new signature.
 * @param now milliseconds since the epoch
 */
export function signedHeaders(
  { id, eventType, body }: Pick<Delivery, 'id' | 'eventType' | 'body'>,
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

import { LIMITS } from '@qr-service/core/connector';

/**
 * Milliseconds until the next attempt after `tries` failed ones, or undefined where there is none: six
 * retries with exponential backoff (API text, "Delivery and retry", 2).
 */
export function backoff(tries: number, baseMs: number): number | undefined {
  return tries > LIMITS.maxDeliveryRetries ? undefined : baseMs * 2 ** (tries - 1);
}

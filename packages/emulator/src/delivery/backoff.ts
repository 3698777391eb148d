import { LIMITS } from '@qr-service/core/connector';

/**
 * Milliseconds to wait after `tries` failed attempts, or undefined after the last retry: six retries with exponential
 * backoff (API text, "Delivery and retry", 2).
 */
export function backoff(tries: number, baseMs: number): number | undefined {
  return tries > LIMITS.maxDeliveryRetries ? undefined : baseMs * 2 ** (tries - 1);
}

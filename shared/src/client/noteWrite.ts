import { isQrServiceError } from '../errors/guards.ts';

/**
 * Completes an error of the core with what it says about a write: nothing else sets these properties.
 * @param write the key that was sent last, whether the service may have carried it out, and the name of a code it creates
 */
export function noteWrite(
  error: unknown,
  write: { idempotencyKey?: string; mayBeDone: boolean; creates?: string | undefined },
): void {
  const { idempotencyKey, mayBeDone, creates } = write;
  if (!isQrServiceError(error)) return;
  if (idempotencyKey !== undefined) error.idempotencyKey = idempotencyKey;
  if (!mayBeDone) return;
  error.isUnconfirmed = true;
  if (creates !== undefined) error.unconfirmedCode = creates;
}

import { isQrServiceError } from '../errors/guards.ts';

/** What is known about a write that failed. */
interface FailedWrite {
  /** The key that was sent last. */
  idempotencyKey?: string;
  /** Whether the service may have carried it out. */
  mayBeDone: boolean;
  /** Name of the QR code that it creates. */
  creates?: string | undefined;
}

/** Completes an error of the core with what it says about a write: nothing else sets these properties. */
export function noteWrite(error: unknown, { idempotencyKey, mayBeDone, creates }: FailedWrite): void {
  if (!isQrServiceError(error)) return;
  if (idempotencyKey !== undefined) error.idempotencyKey = idempotencyKey;
  if (!mayBeDone) return;
  error.isUnconfirmed = true;
  if (creates !== undefined) error.unconfirmedCode = creates;
}

import { idempotencyKeyFrom, INPUTS } from '@qr-service/core/connector';
import type { CallOptions } from '@qr-service/core';
import type { Bundle, InputFieldGroup } from 'zapier-platform-core';
import { inputField } from './inputField.ts';
import { keyInput } from './readInputs.ts';

/** What few people need, below the rest. */
export const ADVANCED_GROUP: InputFieldGroup = { key: 'advanced', label: 'Advanced' };

/** A rerun with the same key acts once. */
export const DEDUPLICATION_FIELD = inputField(INPUTS.deduplicationKey, {
  group: ADVANCED_GROUP.key,
  more: "With the same key, a rerun within 24 hours won't create a second code. Use a new key for different input.",
});

/** Whether a step has a deduplication key, an invalid one included. */
export function hasDeduplicationKey(bundle: Bundle): boolean {
  try {
    return keyInput(bundle, DEDUPLICATION_FIELD) !== undefined;
  } catch {
    return true;
  }
}

/**
 * Idempotency for a call that writes: the user's deduplication key, scoped so that one key can serve several
 * steps of a Zap. Without one the core creates a key for each call, as Zapier passes no run ID.
 *
 * The input isn't part of the key, so changed input is a conflict. The exception is a refusal that is remembered: it
 * created nothing, and the corrected input is sent under the next key.
 * @throws ParameterError for an invalid key
 */
export function writeOptions(bundle: Bundle, operation: string): CallOptions {
  const key = keyInput(bundle, DEDUPLICATION_FIELD);
  return key === undefined ? {} : { idempotencyKey: idempotencyKeyFrom(['zapier', operation, key]) };
}

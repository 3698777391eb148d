import { idempotencyKeyFrom, INPUTS } from '@qr-service/core/connector';
import type { CallOptions } from '@qr-service/core';
import type { Bundle, InputFieldGroup } from 'zapier-platform-core';
import { inputField } from './inputField.ts';
import { keyInput } from './readInputs.ts';

/** A group for advanced fields, below the others. */
export const ADVANCED_GROUP: InputFieldGroup = { key: 'advanced', label: 'Advanced' };

/** For steps that create a code: repeating a run creates only one. */
export const DEDUPLICATION_FIELD = inputField(INPUTS.deduplicationKey, {
  group: ADVANCED_GROUP.key,
  helpText: "Any text unique to this item, such as the row's ID. A replay then won't create a duplicate.",
});

/**
 * Idempotency options of a step's creation, from the user's deduplication key. Without one, the core creates a key for
 * each call, as Zapier passes no run ID.
 *
 * The input isn't part of the key, so changed input is a conflict.
 * @throws ParameterError for an invalid key
 */
export function creationOptions(bundle: Bundle, step: string): CallOptions {
  const key = keyInput(bundle, DEDUPLICATION_FIELD);
  return key === undefined ? {} : { idempotencyKey: idempotencyKeyFrom(['zapier', step, key]) };
}

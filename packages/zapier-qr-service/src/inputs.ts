import { idempotencyKeyFrom, type CallOptions } from '@qr-service/core';
import type { Bundle, InputFieldGroup, PlainInputField, ZObject } from 'zapier-platform-core';
import { plainError } from './errors.ts';

/** A filled-in text, without the spaces around it; undefined for an empty one. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** A yes/no input: Zapier sends a boolean, a mapped one may be text. */
export function readYes(value: unknown): boolean {
  return value === true || ['true', 'yes', '1'].includes(readText(value)?.toLowerCase() ?? '');
}

/**
 * A required text input.
 * @throws Zapier's Error naming the field
 */
export function requireText(z: ZObject, bundle: Bundle, field: PlainInputField): string {
  const text = readText(bundle.inputData[field.key]);
  if (text === undefined)
    throw plainError(
      z,
      `${field.label ?? field.key} is empty. Fill it in and run the step again.`,
      'missing_input',
      422,
    );
  return text;
}

/** What few people need, below the rest. */
export const ADVANCED_GROUP: InputFieldGroup = { key: 'advanced', label: 'Advanced' };

/** On every step that writes: makes a repeated run act once. */
export const DEDUPLICATION_FIELD: PlainInputField = {
  key: 'deduplicationKey',
  label: 'Deduplication Key',
  type: 'string',
  required: false,
  group: ADVANCED_GROUP.key,
  helpText:
    "Any text that is unique to this item, for example a row's ID. Running the step again with the same key within 24 hours does not act twice. Different input needs a different key.",
};

/** Whether the user gave a deduplication key. */
export function hasDeduplicationKey(bundle: Bundle): boolean {
  // Asked of any bundle that a step failed with.
  const inputData = bundle.inputData as Bundle['inputData'] | undefined;
  return readText(inputData?.[DEDUPLICATION_FIELD.key]) !== undefined;
}

/**
 * Idempotency for a call that writes: the user's deduplication key, scoped so that one key can serve several
 * steps of a Zap. Without one the core makes a key for each call, as Zapier gives no id of a run.
 *
 * The input is no part of the key, so changed input is a conflict, except after a refusal that is remembered: nothing
 * was made, and the corrected input is sent under the next key.
 */
export function writeOptions(bundle: Bundle, operation: string): CallOptions {
  const key = readText(bundle.inputData[DEDUPLICATION_FIELD.key]);
  return key === undefined ? {} : { idempotencyKey: idempotencyKeyFrom(['zapier', operation, key]) };
}

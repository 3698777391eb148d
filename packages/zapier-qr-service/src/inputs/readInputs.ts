import {
  idempotencyKeyFrom,
  toKey,
  toOneOf,
  toRequiredText,
  toText,
  toWholeNumber,
  toYesNo,
  BRAND,
} from '@qr-service/core/connector';
import type { CallOptions } from '@qr-service/core';
import type { Bundle, InputFieldGroup, PlainInputField } from 'zapier-platform-core';

/**
 * What a step was given in a field. Whatever an earlier step or a caller of the action gives may come: text, a
 * number, a boolean, nothing, a list, an object.
 */
function valueOf(bundle: Bundle, { key }: PlainInputField): unknown {
  const inputs: unknown = bundle.inputData;
  return typeof inputs === 'object' && inputs !== null && Object.hasOwn(inputs, key)
    ? (inputs as Record<string, unknown>)[key]
    : undefined;
}

function about({ key, label }: PlainInputField): { label: string } {
  return { label: label ?? key };
}

/**
 * A text input.
 * @throws ParameterError for an empty one, too, where the field is required
 */
export function textInput(bundle: Bundle, field: PlainInputField): string {
  return field.required === true
    ? toRequiredText(valueOf(bundle, field), about(field))
    : (toText(valueOf(bundle, field), about(field)) ?? '');
}

/**
 * A whole number; undefined for an empty input.
 * @throws ParameterError for anything but a whole number from `min` up
 */
export function wholeNumberInput(bundle: Bundle, field: PlainInputField, min: number): number | undefined {
  return toWholeNumber(valueOf(bundle, field), { ...about(field), min });
}

/**
 * A yes/no input; an empty one has the field's default, else is no.
 * @throws ParameterError for anything but yes or no
 */
export function yesNoInput(bundle: Bundle, field: PlainInputField): boolean {
  return toYesNo(valueOf(bundle, field), about(field)) ?? toYesNo(field.default, about(field)) ?? false;
}

/**
 * One of some options; an empty input has the field's default.
 * @throws ParameterError for anything else
 */
export function oneOfInput<Option extends string>(
  bundle: Bundle,
  field: PlainInputField,
  options: readonly Option[],
): Option {
  return toOneOf(valueOf(bundle, field), { ...about(field), options }) ?? (field.default as Option);
}

/** An input that this app itself filled in, where it is text; undefined for anything else. */
export function ownInput(bundle: Bundle, key: string): string | undefined {
  return readText(valueOf(bundle, { key }));
}

/**
 * Key and address of the connection; an empty address is the service's own.
 * @throws ParameterError for a value that can't be used; it is not shown
 */
export function readConnection({ authData }: Bundle): { apiKey: string; baseUrl: string } {
  const { apiKey, baseUrl } = authData as Record<string, unknown>;
  return {
    apiKey: toText(apiKey, { label: 'API Key', secret: true }) ?? '',
    baseUrl: toText(baseUrl, { label: 'Base URL', secret: true }) ?? BRAND.baseUrl,
  };
}

/** A text that Zapier keeps, without the spaces around it; undefined for an empty one and for anything else. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
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

/** Whether a step was given a deduplication key, one that can't be used included. Asked of any bundle that a step failed with. */
export function hasDeduplicationKey(bundle: Bundle): boolean {
  if ((bundle.inputData as unknown) === undefined) return false;
  try {
    return toKey(valueOf(bundle, DEDUPLICATION_FIELD), about(DEDUPLICATION_FIELD)) !== undefined;
  } catch {
    return true;
  }
}

/**
 * Idempotency for a call that writes: the user's deduplication key, scoped so that one key can serve several
 * steps of a Zap. Without one the core makes a key for each call, as Zapier gives no id of a run.
 *
 * The input is no part of the key, so changed input is a conflict, except after a refusal that is remembered: nothing
 * was made, and the corrected input is sent under the next key.
 * @throws ParameterError for a key that can't be used
 */
export function writeOptions(bundle: Bundle, operation: string): CallOptions {
  const key = toKey(valueOf(bundle, DEDUPLICATION_FIELD), about(DEDUPLICATION_FIELD));
  return key === undefined ? {} : { idempotencyKey: idempotencyKeyFrom(['zapier', operation, key]) };
}

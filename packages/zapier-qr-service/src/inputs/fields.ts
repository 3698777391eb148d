import { type CallOptions, idempotencyKeyFrom, type ImageFormat } from '@qr-service/core';
import {
  IMAGE_FORMATS,
  INPUTS,
  omitUndefined,
  toKey,
  toWholeNumber,
  type InputDefinition,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { oneOfInput, readInput } from './readInputs.ts';

/** Converts one of the core's inputs to a field of a step. */
export function inputField(input: InputDefinition, own: Partial<PlainInputField> = {}): PlainInputField {
  const { key, label, help, type, required, choices, example, default: value } = input;
  return {
    key,
    label,
    type: type === 'integer' || type === 'boolean' ? type : 'string',
    required,
    helpText: help,
    ...omitUndefined({
      placeholder: example,
      default: value === undefined ? undefined : String(value),
      choices: choices?.map((choice) => dropdownChoice(choice.value, `${choice.label} (${choice.use})`)),
    }),
    ...own,
  };
}

/** A choice of a dropdown, in Zapier's form. */
export function dropdownChoice(value: string, label: string) {
  return { value, sample: value, label };
}

/** For steps that create a code: repeating a run creates only one. */
export const DEDUPLICATION_FIELD = inputField(INPUTS.deduplicationKey, {
  placeholder: 'menu-7',
  helpText:
    "A text unique to this item in all your Zaps, so that a replay won't create a duplicate. Type a word for the sheet, then insert a column that never changes, or the row's number: `menu-7`.",
});

/**
 * Idempotency options of a step's creation, from the user's deduplication key. Without one, the core creates a key for
 * each call. The input isn't part of the key, so changed input is a conflict.
 * @throws ParameterError for an invalid key
 */
export function creationOptions(bundle: Bundle, step: string): CallOptions {
  const key = readInput(bundle, DEDUPLICATION_FIELD, toKey);
  return key === undefined ? {} : { idempotencyKey: idempotencyKeyFrom(['zapier', step, key]) };
}

export const FORMAT_FIELD = inputField(INPUTS.format);
export const SIZE_FIELD = inputField(INPUTS.size, { placeholder: '512' });

/**
 * Reads the format, by default PNG, and the size, if any. The service defines the size's unit and bounds.
 * @throws ParameterError for an unknown format, and for anything but a whole number above 0
 */
export function imageOptions(bundle: Bundle): { format: ImageFormat; size?: number } {
  const format = oneOfInput(bundle, FORMAT_FIELD, IMAGE_FORMATS) ?? (FORMAT_FIELD.default as ImageFormat);
  const size = readInput(bundle, SIZE_FIELD, (value, about) => toWholeNumber(value, { ...about, min: 1 }));
  return { format, ...omitUndefined({ size }) };
}

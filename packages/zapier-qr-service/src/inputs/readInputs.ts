import {
  CONNECTION_INPUTS,
  ParameterError,
  readConnection,
  toOneOf,
  toRequiredText,
  toText,
  toYesNo,
  type Connection,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField } from 'zapier-platform-core';

/**
 * The value of a field: anything that an earlier step or a caller of the action passes, such as text, a number, a
 * boolean, nothing, a list or an object.
 */
function valueOf({ inputData }: { inputData?: unknown }, { key }: { key: string }): unknown {
  const inputs = inputData as Record<string, unknown> | null | undefined;
  return typeof inputs === 'object' && inputs !== null && Object.hasOwn(inputs, key)
    ? inputs[key]
    : undefined;
}

/** What a field contains before Zapier fills in values of earlier steps; undefined if that isn't known. */
function rawValueOf(bundle: Bundle, field: PlainInputField): unknown {
  return valueOf({ inputData: (bundle as { inputDataRaw?: unknown }).inputDataRaw }, field);
}

/** Whether the user filled in a field, which may still be empty in a run, such as a blank cell. */
export function isMapped(bundle: Bundle, field: PlainInputField): boolean {
  const raw = rawValueOf(bundle, field) ?? '';
  return typeof raw !== 'string' || raw.trim() !== '';
}

function about({ key, label }: PlainInputField): { label: string } {
  return { label: label ?? key };
}

/**
 * Reads an input with one of the core's readers, such as `toText`.
 * @throws ParameterError for an invalid one
 */
export function readInput<Value>(
  bundle: Bundle,
  field: PlainInputField,
  read: (value: unknown, about: { label: string }) => Value,
): Value {
  return read(valueOf(bundle, field), about(field));
}

/**
 * Reads a text input.
 * @throws ParameterError for an invalid one, and for an empty one if the field is required
 */
export function textInput(bundle: Bundle, field: PlainInputField): string {
  return readInput(bundle, field, field.required === true ? toRequiredText : toText) ?? '';
}

/**
 * Reads the texts of a field for several values. Empty ones are left out.
 * @throws ParameterError for an invalid one
 */
export function textsInput(bundle: Bundle, field: PlainInputField): string[] {
  return [valueOf(bundle, field)].flat().flatMap((value) => toText(value, about(field)) ?? []);
}

/**
 * Reads a yes/no input; an empty one means the field's default, or "no". Zapier may turn a cleared field into "no", so
 * a field that the user left empty (`inputDataRaw`) counts as empty.
 * @throws ParameterError for anything but yes or no
 */
export function yesNoInput(bundle: Bundle, field: PlainInputField): boolean {
  const typed = rawValueOf(bundle, field);
  const isCleared = typed === null || (typeof typed === 'string' && typed.trim() === '');
  const given = isCleared ? undefined : toYesNo(valueOf(bundle, field), about(field));
  return given ?? toYesNo(field.default, about(field)) ?? false;
}

/**
 * Reads one of several options, by its value or its label; undefined for an empty input.
 * @throws ParameterError for anything else, and for an empty one if the field is required
 */
export function oneOfInput<Option extends string>(
  bundle: Bundle,
  field: PlainInputField,
  options: readonly Option[],
): Option | undefined {
  const choices = (field.choices ?? []) as { value: string; label: string }[];
  const labels = Object.fromEntries(choices.map(({ value, label }) => [value, label]));
  const option = toOneOf(valueOf(bundle, field), { ...about(field), options, labels });
  if (field.required === true) toRequiredText(option, about(field));
  return option;
}

/** Reads an input that isn't checked, if it is text; undefined for anything else. */
export function ownInput(bundle: Bundle, key: string): string | undefined {
  return storedText(valueOf(bundle, { key }));
}

/**
 * Reads the connection of the run.
 * @throws ParameterError for an invalid value, without showing it
 */
export function connectionOf({ authData }: Bundle): Connection {
  const baseUrl = storedText(authData['baseUrl']) ?? '';
  // Zapier publishes only apps that use https everywhere. build.mjs sets this, and drops the check from other builds.
  if (
    process.env['PUBLIC_BUILD'] === 'true' &&
    URL.canParse(baseUrl) &&
    new URL(baseUrl).protocol !== 'https:'
  )
    throw new ParameterError('Base URL must start with https://.', {
      code: 'invalid_input',
      parameter: CONNECTION_INPUTS.baseUrl.label,
      advice: 'Change it in the connection. Otherwise others could read the API key.',
    });
  return readConnection(authData);
}

/**
 * Reads the connection's API key, trimmed; empty if there is none. Reads no other field.
 * @throws ParameterError for anything but text
 */
export function apiKeyOf({ authData }: Bundle): string {
  return readConnection({ apiKey: authData['apiKey'] }).apiKey;
}

/** Reads text that Zapier has stored, trimmed; undefined if it is empty, and for anything else. */
export function storedText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

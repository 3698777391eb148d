import {
  CONNECTION_INPUTS,
  missingParameter,
  ParameterError,
  readConnection,
  toKey,
  toOneOf,
  toRequiredText,
  toText,
  toTime,
  toWebAddress,
  toWholeNumber,
  toYesNo,
  type Connection,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField } from 'zapier-platform-core';

/**
 * The value of a field: anything that an earlier step or a caller of the action passes, such as text, a number, a
 * boolean, nothing, a list or an object.
 */
function valueOf(bundle: Bundle, { key }: { key: string }): unknown {
  return ownValue(bundle.inputData, key);
}

function ownValue(inputs: unknown, key: string): unknown {
  return typeof inputs === 'object' && inputs !== null && Object.hasOwn(inputs, key)
    ? (inputs as Record<string, unknown>)[key]
    : undefined;
}

/** What a field contains before Zapier fills in values of earlier steps; undefined if that isn't known. */
function rawValueOf(bundle: Bundle, { key }: PlainInputField): unknown {
  return ownValue((bundle as { inputDataRaw?: unknown }).inputDataRaw, key);
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
 * Reads a text input.
 * @throws ParameterError for an invalid one, and for an empty one if the field is required
 */
export function textInput(bundle: Bundle, field: PlainInputField): string {
  return field.required === true
    ? toRequiredText(valueOf(bundle, field), about(field))
    : (toText(valueOf(bundle, field), about(field)) ?? '');
}

/**
 * Reads the texts of a field for several values. Empty ones are left out.
 * @throws ParameterError for an invalid one
 */
export function textsInput(bundle: Bundle, field: PlainInputField): string[] {
  return [valueOf(bundle, field)].flat().flatMap((value) => toText(value, about(field)) ?? []);
}

/**
 * Reads a required web address; `https://` may be missing.
 * @throws ParameterError for an empty or invalid one
 */
export function webAddressInput(bundle: Bundle, field: PlainInputField): string {
  return toWebAddress(valueOf(bundle, field), about(field));
}

/**
 * Reads a whole number; undefined for an empty input.
 * @throws ParameterError for anything but a whole number from `min` to `max`
 */
export function wholeNumberInput(
  bundle: Bundle,
  field: PlainInputField,
  bounds: { min: number; max?: number },
): number | undefined {
  return toWholeNumber(valueOf(bundle, field), { ...about(field), ...bounds });
}

/**
 * Reads a time and returns it as ISO 8601 UTC; undefined for an empty input.
 * @throws ParameterError for anything but a time
 */
export function timeInput(bundle: Bundle, field: PlainInputField): string | undefined {
  return toTime(valueOf(bundle, field), about(field));
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
 * Reads one of several options, by its value or a label of the field's choice; undefined for an empty input.
 * @throws ParameterError for anything else, and for an empty one if the field is required
 */
export function oneOfInput<Option extends string>(
  bundle: Bundle,
  field: PlainInputField,
  options: readonly Option[],
): Option | undefined {
  const choices = (field.choices ?? []) as { value: string; label: string }[];
  const given = valueOf(bundle, field);
  const text = typeof given === 'string' ? given.trim().toLowerCase() : undefined;
  const labels = Object.fromEntries(choices.map(({ value, label }) => [value, label.replace(/ \(.*/, '')]));
  const chosen = choices.find(({ label }) => label.toLowerCase() === text)?.value;
  const option = toOneOf(chosen ?? given, { ...about(field), options, labels });
  if (option === undefined && field.required === true) throw missingParameter(about(field));
  return option;
}

/**
 * Reads a key that identifies an item; undefined for an empty input.
 * @throws ParameterError for an invalid one
 */
export function keyInput(bundle: Bundle, field: PlainInputField): string | undefined {
  return toKey(valueOf(bundle, field), about(field));
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
  const connection = readConnection(authData);
  // Zapier publishes only apps that use https everywhere. build.mjs sets this, and drops the check from other builds.
  if (
    process.env['PUBLIC_BUILD'] === 'true' &&
    URL.canParse(connection.baseUrl) &&
    new URL(connection.baseUrl).protocol !== 'https:'
  )
    throw new ParameterError('Base URL must start with https://.', {
      code: 'invalid_input',
      parameter: CONNECTION_INPUTS.baseUrl.label,
      advice: 'Change it in the connection. Otherwise others could read the API key.',
    });
  return connection;
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

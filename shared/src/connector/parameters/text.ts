import { invalidParameter, missingParameter, type ParameterInfo } from './ParameterError.ts';
import { millisOf } from './dates.ts';

/** Whether a value is undefined, null or blank text. */
export function isEmpty(value: unknown): value is undefined | null | string {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Trimmed text; undefined for anything but text or a finite number. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'bigint' || Number.isFinite(value) ? String(value) : undefined;
}

/**
 * Reads text or a number as trimmed text. Undefined for an empty value.
 * @throws ParameterError for anything else
 */
export function toText(value: unknown, info: ParameterInfo): string | undefined {
  if (isEmpty(value)) return undefined;
  const text = textOf(value);
  if (text === undefined) throw invalidParameter(value, info, 'text');
  return text;
}

/**
 * The same for a required text.
 * @throws ParameterError for an empty value as well
 */
export function toRequiredText(value: unknown, info: ParameterInfo): string {
  const text = toText(value, info);
  if (text === undefined) throw missingParameter(info);
  return text;
}

/**
 * Reads a key that identifies a record, from text, a number or a date, which becomes ISO 8601 UTC. Undefined for an
 * empty value.
 * @throws ParameterError for anything else, and for a number so large that JavaScript rounds it: several records could
 * share a key
 */
export function toKey(value: unknown, info: ParameterInfo): string | undefined {
  if (isEmpty(value)) return undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw invalidParameter(
      value,
      info,
      'text or a number of up to 15 digits',
      'Enter longer numbers as text.',
    );
  const millis = millisOf(value) ?? NaN;
  const key = Number.isNaN(millis) ? textOf(value) : new Date(millis).toISOString();
  if (key === undefined) throw invalidParameter(value, info, 'text, a number or a date');
  return key;
}

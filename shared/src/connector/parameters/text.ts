import {
  invalidParameter,
  missingParameter,
  type ParameterError,
  type ParameterInfo,
} from './ParameterError.ts';
import { millisOf } from './showValue.ts';

/**
 * A character that shows nothing: zero-width spaces, soft hyphens, direction marks. Not those that change how their
 * neighbors look: variation selectors, tags of flags, and joiners within emoji and within scripts such as Persian.
 */
export const INVISIBLE =
  /(?![\p{VS}\u{E0020}-\u{E007F}])(?!(?<=[^\0-\x7F\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200C\u200D](?=[^\0-\x7F]))\p{DI}/u;

/** From the first to the last character that shows. */
const VISIBLE_PART = /[^\s\p{DI}](?:.*(?:[^\s\p{DI}]|[\p{VS}\u{E0020}-\u{E007F}]))?/su;

/** Drops the characters that show nothing. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(new RegExp(INVISIBLE, 'gu'), '');
}

/** Drops what shows nothing at the ends of a text: spaces of all kinds and invisible characters. */
function trimText(text: string): string {
  return VISIBLE_PART.exec(text)?.[0] ?? '';
}

/**
 * What a cell holds: its text trimmed, and of a list with one value, that value. Undefined if it is empty: undefined, null or
 * text that shows nothing.
 */
export function given(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return (typeof only === 'string' ? trimText(only) || undefined : only) ?? undefined;
}

/** Text; undefined for anything but text or a number that JavaScript hasn't rounded: it would name another record. */
function textOf(cell: unknown): string | undefined {
  if (typeof cell === 'string') return cell;
  const isExact = typeof cell === 'bigint' || (Number.isFinite(cell) && !isRounded(cell));
  return isExact ? String(cell) : undefined;
}

function isRounded(cell: unknown): boolean {
  return Number.isInteger(cell) && !Number.isSafeInteger(cell);
}

function notText(value: unknown, info: ParameterInfo, expected: string): ParameterError {
  return isRounded(given(value))
    ? invalidParameter(
        value,
        info,
        'text or a number of up to 15 digits',
        'A longer number has lost its last digits. Hand it on as text.',
      )
    : invalidParameter(value, info, expected);
}

/**
 * Reads text or a number as trimmed text. Undefined for an empty value.
 * @throws ParameterError for anything else, and for a number so long that it has lost digits
 */
export function toText(value: unknown, info: ParameterInfo): string | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const text = textOf(cell);
  if (text === undefined) throw notText(value, info, 'text');
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
 * @throws ParameterError for anything else, and for a number so long that it has lost digits
 */
export function toKey(value: unknown, info: ParameterInfo): string | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const millis = millisOf(cell) ?? NaN;
  const key = Number.isNaN(millis) ? textOf(cell) : new Date(millis).toISOString();
  if (key === undefined) throw notText(value, info, 'text, a number or a date');
  return key;
}

import { LOST_CHARACTER, PLACEHOLDER, refuseMistakes } from './mistakes.ts';
import { invalidParameter, ParameterError, type ParameterInfo } from './ParameterError.ts';
import { millisOf } from './showValue.ts';

/**
 * A character that shows nothing: zero-width spaces, soft hyphens, direction marks. Not those that change how their
 * neighbors look: variation selectors, tags of flags, and joiners within emoji and within scripts such as Persian.
 */
export const INVISIBLE =
  /(?![\p{VS}\u{E0020}-\u{E007F}])(?!(?<=[^\0-\x7F\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200C\u200D](?=[^\0-\x7F]))\p{DI}/u;

const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu');

/** From the first to the last character that shows. */
const VISIBLE_PART = /[^\s\p{DI}](?:.*(?:[^\s\p{DI}]|[\p{VS}\u{E0020}-\u{E007F}]))?/su;

/** Drops the characters that show nothing. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(EVERY_INVISIBLE, '');
}

/**
 * What a cell contains: its text without what shows nothing at its ends, and of a list with one value, that value. Undefined if
 * it is empty: undefined, null or text that shows nothing.
 */
export function given(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return (typeof only === 'string' ? VISIBLE_PART.exec(only)?.[0] : only) ?? undefined;
}

/**
 * Reads text or a number as trimmed text. Undefined for an empty value.
 * @param expected completes "must be …" in the error
 * @throws ParameterError for anything else, and for a number that JavaScript has rounded: it would name another record
 */
export function toText(value: unknown, info: ParameterInfo, expected = 'text'): string | undefined {
  const cell = given(value);
  if (cell === undefined || typeof cell === 'string') return cell;
  if (Number.isInteger(cell) && !Number.isSafeInteger(cell)) {
    const advice = 'Longer numbers lose digits. Pass the value as text.';
    throw invalidParameter(value, info, 'text or a number of up to 15 digits', advice);
  }
  if (typeof cell === 'bigint' || Number.isFinite(cell)) return `${cell as number}`;
  throw invalidParameter(value, info, expected);
}

/**
 * The same for a required text.
 * @throws ParameterError for an empty value as well
 */
export function toRequiredText(value: unknown, info: ParameterInfo, advice = 'Enter a value.'): string {
  const text = toText(value, info);
  if (text !== undefined) return text;
  const missing = { code: 'validation_failed', advice, isMissing: true } as const;
  throw new ParameterError(`${info.label} is empty.`, { ...missing, parameter: info.label });
}

/** What cells show instead of a value: errors of a spreadsheet's formulas, and an object that became text. */
export const CELL_ERROR = {
  pattern: /^(?:\[object Object\]|#REF!|#N\/A|#VALUE!|#NAME\?|#DIV\/0!|#NUM!|#NULL!|#ERROR!)$/,
  title: 'is an error instead of text',
  advice: 'Correct the formula, or map a field that has text.',
};

/**
 * Reads the name of a new code: a required text. Codes that exist may have any name.
 * @throws ParameterError for a text that would name many codes alike, too: a placeholder, an error
 */
export function toNewName(value: unknown, info: ParameterInfo): string {
  const name = toRequiredText(value, info);
  refuseMistakes(name, info, [PLACEHOLDER, CELL_ERROR, LOST_CHARACTER]);
  return name;
}

/**
 * Reads a key that identifies a record, from text, a number or a date, which becomes ISO 8601 UTC. Undefined for an
 * empty value.
 * @throws ParameterError for anything else, for a number so long that it has lost digits, and for a placeholder
 */
export function toKey(value: unknown, info: ParameterInfo): string | undefined {
  const millis = millisOf(given(value)) ?? NaN;
  if (!Number.isNaN(millis)) return new Date(millis).toISOString();
  const key = toText(value, info, 'text, a number or a date');
  refuseMistakes(key ?? '', info, [PLACEHOLDER]);
  return key;
}

/** Decodes the percent-encoded part of a URL; a part that isn't valid stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { readHttpDate, readIsoTime } from '../../wire/time.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { millisOf } from './showValue.ts';
import { given } from './text.ts';

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Reads a whole number, from a number or from text; undefined for an empty value. Errors name the bounds. */
export function toWholeNumber(
  value: unknown,
  info: ParameterInfo & { min: number; max?: number | undefined },
): number | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const { min, max = Infinity } = info;
  const number = NUMBER.test(wordOf(cell)) ? Number(cell) : NaN;
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
  const range = max === Infinity ? `, ${min} or more` : ` from ${min} to ${max}`;
  throw invalidParameter(value, info, `a whole number${range}`);
}

const YES = ['true', 'yes', 'y', 'on', '1'];
const NO = ['false', 'no', 'n', 'off', '0'];

/** Reads yes or no, from a boolean, 1 or 0, or from text such as "Yes" or "off"; undefined for an empty value. */
export function toYesNo(value: unknown, info: ParameterInfo): boolean | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const word = wordOf(cell).toLowerCase();
  if ([...YES, ...NO].includes(word)) return YES.includes(word);
  throw invalidParameter(value, info, 'yes or no (true or false)');
}

/**
 * Reads a time as ISO 8601 UTC: from a date, an HTTP date, or an ISO 8601 date or date and time. Undefined for an empty value.
 * `readLocal` reads an ISO 8601 time without an offset, in milliseconds since the epoch. Default: as UTC.
 */
export function toTime(
  value: unknown,
  info: ParameterInfo & { readLocal?: (text: string) => number },
): string | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const text = typeof cell === 'string' ? cell : '';
  const date = new Date(millisOf(cell) ?? readIsoTime(text, info.readLocal) ?? readHttpDate(text) ?? NaN);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw invalidParameter(value, info, 'a date and time', 'Use ISO 8601, for example 2026-01-31T09:00:00Z.');
}

/** Maximum length of a list of options in a title. */
const MAX_LIST_LENGTH = 60;

interface ChoiceInfo<Option extends string> extends ParameterInfo {
  options: readonly Option[];
  matchCase?: boolean;
  /** Labels of the options: they are accepted as values, too, and errors list them instead of the options. */
  labels?: Readonly<Record<string, string>>;
}

/** Reads one of several options, in any case; undefined for an empty value. Errors list the options. */
export function toOneOf<Option extends string>(value: unknown, info: ChoiceInfo<Option>): Option | undefined {
  const { options, matchCase = false, labels = {} } = info;
  const fold = (text: string) => (matchCase ? text : text.toLowerCase());
  const cell = given(value);
  if (cell === undefined) return undefined;
  const wanted = typeof cell === 'string' ? fold(cell) : undefined;
  const option = options.find((each) => [each, labels[each]].some((name = each) => fold(name) === wanted));
  if (option !== undefined) return option;
  const list = Object.values(info.labels ?? options).join(', ');
  if (list.length <= MAX_LIST_LENGTH) throw invalidParameter(value, info, `one of ${list}`);
  throw invalidParameter(value, info, 'one of its options', `Use one of ${list}.`);
}

/** Text, a number or a boolean as text; empty for a list, an object or a date. */
function wordOf(cell: unknown): string {
  return typeof cell === 'object' ? '' : `${cell as string | number}`;
}

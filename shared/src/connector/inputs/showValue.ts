import { showText } from '../../errors/sentences.ts';
import { isObject } from '../../json/json.ts';

const MAX_LENGTH = 40;

/** Formats a value for an error: short, on one line, and without what is inside lists and objects, which may be secret. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return `"${showInput(value, MAX_LENGTH)}"`;
  const millis = millisOf(value);
  if (millis !== undefined)
    return Number.isNaN(millis) ? 'an invalid date' : `the date ${new Date(millis).toISOString()}`;
  if (typeof value !== 'object' || value === null) return showText(String(value), MAX_LENGTH);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Formats a text for an error, but without the user and the query of a URL, which may be secret. */
export function showInput(text: string, longest?: number): string {
  const [, scheme = '', rest = text] = /^(\s*[\w+.-]+:\/\/)(.*)/s.exec(text) ?? [];
  if (scheme === '') return showText(text, longest);
  return showText(scheme + rest.replace(/^[^/?#]*@/, '…@').replace(/[?#].*/s, '?…'), longest);
}

/** The time of a `Date` or a luxon `DateTime`, in milliseconds since the epoch; NaN for an invalid one. */
export function millisOf(value: unknown): number | undefined {
  if (!isObject(value)) return undefined;
  // Not `instanceof`: a date may come from another realm.
  if (Object.prototype.toString.call(value) === '[object Date]') return Number(value);
  const { toMillis } = value;
  return typeof toMillis === 'function' ? Number(toMillis.call(value)) : undefined;
}

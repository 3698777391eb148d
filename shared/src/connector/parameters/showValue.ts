import { showText } from '../../errors/sentences.ts';
import { millisOf } from './dates.ts';

/** Maximum length of a value in an error. */
const MAX_LENGTH = 40;

/**
 * Formats a value for an error: short, on one line, and without the text inside arrays and objects, which may be
 * secret.
 */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return `"${showInput(value, MAX_LENGTH)}"`;
  const millis = millisOf(value);
  if (millis !== undefined)
    return Number.isNaN(millis) ? 'an invalid date' : `the date ${new Date(millis).toISOString()}`;
  if (typeof value !== 'object' || value === null) return showText(String(value), MAX_LENGTH);
  return `${Array.isArray(value) ? 'a list' : 'an object'} ${outline(value)}`;
}

/** Formats a text for an error, but without the user and the query of a URL, which may be secret. */
export function showInput(text: string, longest?: number): string {
  const [, scheme = '', rest = text] = /^(\s*[\w+.-]+:\/\/)(.*)$/s.exec(text) ?? [];
  if (scheme === '') return showText(text, longest);
  return showText(scheme + rest.replace(/^[^/?#]*@/, '…@').replace(/[?#].*/s, '?…'), longest);
}

function outline(value: object): string {
  try {
    const hideText = (_key: string, inside: unknown) => (typeof inside === 'string' ? '…' : inside);
    return showText(JSON.stringify(value, hideText), MAX_LENGTH);
  } catch {
    // JSON can't represent it, for example because it contains itself.
    return '…';
  }
}

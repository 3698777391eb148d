import { attempt } from './attempt.ts';
import { millisOf } from './dates.ts';

/** Maximum length of a value in an error. */
const MAX_LENGTH = 40;
/** Maximum length of a text in an error, such as a link. */
const MAX_TEXT_LENGTH = 160;
/** Maximum length of an input. The rest is ignored. */
const MAX_INPUT_LENGTH = 2000;
/** Maximum levels of a nested value in an error. */
const MAX_DEPTH = 2;

/**
 * Formats a value for an error: short, on one line, and without the text inside arrays and objects, which may be
 * secret.
 */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return `"${showInput(value, MAX_LENGTH)}"`;
  if (typeof value !== 'object' || value === null) return cut(String(value));
  const millis = millisOf(value);
  if (millis !== undefined)
    return millis === null ? 'an invalid date' : `the date ${new Date(millis).toISOString()}`;
  return attempt(() => Array.isArray(value)) === true
    ? `a list ${outline(value)}`
    : `an object ${outline(value)}`;
}

/**
 * Formats a text for an error: on one line, without control characters, and not too long (160 characters by default).
 */
export function showText(text: string, longest = MAX_TEXT_LENGTH): string {
  return cut(text, longest);
}

/** The same, but without the user and the query of a URL, which may be secret. */
export function showInput(text: string, longest?: number): string {
  const start = text.slice(0, MAX_INPUT_LENGTH);
  const scheme = start.indexOf('://');
  const hostAt = scheme === -1 ? 0 : scheme + '://'.length;
  const [authority = ''] = start.slice(hostAt).split(/[/?#]/, 1);
  const userEnd = authority.lastIndexOf('@');
  const hasUser = userEnd > 0 && (scheme !== -1 || /^(?!mailto:)[^\s:@]+:\S*$/i.test(authority.trim()));
  if (scheme === -1 && !hasUser) return showText(start, longest);
  const rest = hasUser ? `…${start.slice(hostAt + userEnd)}` : start.slice(hostAt);
  return showText(start.slice(0, hostAt) + rest.replace(/[?#].*/s, '?…'), longest);
}

function outline(value: object): string {
  return attempt(() => cut(JSON.stringify(withoutText(value, MAX_DEPTH)))) ?? '…';
}

/** A copy with "…" for each text and for deeper levels, and with only the first of many entries. */
function withoutText(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return '…';
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return Array.isArray(value) ? ['…'] : { '…': '…' };
  if (Array.isArray(value)) return value.slice(0, MAX_LENGTH).map((entry) => withoutText(entry, levels - 1));
  const entries = Object.entries(value).slice(0, MAX_LENGTH);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutText(entry, levels - 1)]));
}

/** Puts a text on one line, without invisible characters, and cuts it between characters. */
function cut(text: string, longest = MAX_LENGTH): string {
  // A character takes up to two units.
  const start = text.slice(0, 2 * longest + 2);
  const line = Array.from(start.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' '));
  return line.length <= longest ? line.join('') : `${line.slice(0, longest).join('')}…`;
}

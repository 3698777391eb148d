import { attempt } from './attempt.ts';
import { millisOf } from './dates.ts';

/** Characters of a value that an error shows. */
const LONGEST = 40;
/** Characters of a text that an error shows as a whole, such as a link. */
const LONGEST_TEXT = 160;
/** Levels of a nested value that an error shows. */
const DEEPEST = 2;

/**
 * A value as an error shows it: short and on one line. Text inside arrays and objects is left out, as they may
 * hold a secret.
 */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return `"${cut(value)}"`;
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return cut(String(value));
  const millis = millisOf(value);
  if (millis !== undefined)
    return millis === null ? 'an invalid date' : `the date ${new Date(millis).toISOString()}`;
  return attempt(() => Array.isArray(value)) === true
    ? `an array ${outline(value)}`
    : `an object ${outline(value)}`;
}

/** Text for an error that names it: on one line and not too long. */
export function showText(text: string): string {
  return cut(text, LONGEST_TEXT);
}

function outline(value: object): string {
  return attempt(() => cut(JSON.stringify(withoutText(value, DEEPEST)))) ?? '…';
}

/** The same with "…" for each text and for what is nested deeper; of many entries the first. */
function withoutText(value: unknown, levels: number): unknown {
  if (typeof value === 'string' || typeof value === 'bigint') return '…';
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return Array.isArray(value) ? ['…'] : { '…': '…' };
  if (Array.isArray(value)) return value.slice(0, LONGEST).map((entry) => withoutText(entry, levels - 1));
  const entries = Object.entries(value).slice(0, LONGEST);
  return Object.fromEntries(
    entries.map(([key, entry]) => [key.slice(0, LONGEST), withoutText(entry, levels - 1)]),
  );
}

/** On one line, without what can't be seen, and cut between characters. */
function cut(text: string, longest = LONGEST): string {
  const line = Array.from(text.slice(0, 4 * longest).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' '));
  const isWhole = line.length <= longest && text.length <= 4 * longest;
  return isWhole ? line.join('') : `${line.slice(0, longest).join('')}…`;
}

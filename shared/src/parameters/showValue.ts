import { millisOf } from './dates.ts';

/** Characters of a value that an error shows. */
const LONGEST = 40;
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
  return Array.isArray(value) ? `an array ${outline(value)}` : `an object ${outline(value)}`;
}

function outline(value: object): string {
  try {
    return cut(JSON.stringify(withoutText(value, DEEPEST)));
  } catch {
    return '…';
  }
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
function cut(text: string): string {
  const line = Array.from(text.slice(0, 4 * LONGEST).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' '));
  const isWhole = line.length <= LONGEST && text.length <= 4 * LONGEST;
  return isWhole ? line.join('') : `${line.slice(0, LONGEST).join('')}…`;
}

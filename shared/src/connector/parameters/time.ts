import { readHttpDate, readIsoTime } from '../../wire/time.ts';
import { millisOf } from './showValue.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { given } from './text.ts';

/** How `toTime` reads a time. */
interface TimeInfo extends ParameterInfo {
  /**
   * Reads an ISO 8601 time without an offset; returns milliseconds since the epoch.
   * @default as UTC
   */
  readLocal?: (text: string) => number;
}

/**
 * Reads a time and returns it as ISO 8601 UTC: from a date, from an HTTP date, or from an ISO 8601 date or date and
 * time. Undefined for an empty value.
 * @throws ParameterError for anything else, and for a day that doesn't exist
 */
export function toTime(value: unknown, info: TimeInfo): string | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const date = new Date(millisOf(cell) ?? readText(cell, info) ?? NaN);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw invalidParameter(value, info, 'a date and time', 'Use ISO 8601, for example 2026-01-31T09:00:00Z.');
}

function readText(text: unknown, { readLocal }: TimeInfo): number | undefined {
  if (typeof text !== 'string') return undefined;
  return readIsoTime(text, readLocal) ?? readHttpDate(text);
}

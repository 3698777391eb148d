import { readHttpDate } from '../../wire/time.ts';
import { millisOf } from './dates.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { isEmpty } from './text.ts';

/** How `toTime` reads a time. */
interface TimeInfo extends ParameterInfo {
  /**
   * Reads an ISO 8601 time without an offset; returns milliseconds since the epoch.
   * @default as UTC
   */
  readLocal?: (text: string) => number;
}

/** ISO 8601 dates: calendar, week and ordinal dates. Digits alone must be a full calendar date. */
const DATES = [
  /^(?<year>\d{4})-(?<month>\d\d)(?:-(?<day>\d\d))?$/,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
  /^(?<year>\d{4})-W(?<week>\d\d)(?:-(?<weekday>[1-7]))?$/i,
  /^(?<year>\d{4})W(?<week>\d\d)(?<weekday>[1-7])?$/i,
  /^(?<year>\d{4})-(?<dayOfYear>\d{3})$/,
];
const CLOCK =
  /^(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?(?: ?(?<offset>Z|(?<offsetHours>[+-]\d\d)(?::?(?<offsetMinutes>\d\d))?))?$/i;

const DAY_MS = 86_400_000;

type Parts = Partial<Record<string, string>>;

/**
 * Reads a time and returns it as ISO 8601 UTC: from a date, from an HTTP date, or from any form of ISO 8601 that names
 * a month, a week or a day. Undefined for an empty value.
 * @throws ParameterError for anything else, and for a day that doesn't exist
 */
export function toTime(value: unknown, info: TimeInfo): string | undefined {
  if (isEmpty(value)) return undefined;
  const date = new Date(millisOf(value) ?? readText(value, info.readLocal) ?? NaN);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw invalidParameter(value, info, 'a date and time', 'Use ISO 8601, for example 2026-01-31T09:00:00Z.');
}

function readText(value: unknown, readLocal = readAsUtc): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return readIso(text, readLocal) ?? readHttpDate(text);
}

function readIso(text: string, readLocal: (text: string) => number): number | undefined {
  const [written = '', clock = '00'] = text.split(/[T ](.+)/i);
  const date = DATES.map((form) => dayOf(form.exec(written)?.groups)).find((day) => day !== undefined);
  const parts: Parts | undefined = CLOCK.exec(clock)?.groups;
  if (date === undefined || parts === undefined) return undefined;
  const { hour = '', minute = '00', second = '00', fraction = '0', offset } = parts;
  const { offsetHours = '+00', offsetMinutes = '00' } = parts;
  const local = `${date}T${hour}:${minute}:${second}.${fraction}`;
  if (Number.isNaN(readAsUtc(local))) return undefined;
  if (offset === undefined) return readLocal(local);
  return Date.parse(`${local}${offsetHours}:${offsetMinutes}`);
}

/** The day as year, month and day; undefined for a day that doesn't exist. */
function dayOf(parts: Parts | undefined): string | undefined {
  if (parts === undefined) return undefined;
  const { year = '', month, day = '01', week, weekday = '1', dayOfYear } = parts;
  if (month !== undefined) {
    // `Date` reads the 30th of February as the 2nd of March.
    const date = `${year}-${month}-${day}`;
    return isoDay(Date.parse(`${date}T00:00:00.000Z`)) === date ? date : undefined;
  }
  const newYear = Date.parse(`${year}-01-01T00:00:00.000Z`);
  if (week === undefined) {
    const date = isoDay(newYear + (Number(dayOfYear) - 1) * DAY_MS);
    return date.startsWith(year) ? date : undefined;
  }
  // Week 1 contains the 4th of January; a week belongs to the year of its Thursday.
  const fourth = newYear + 3 * DAY_MS;
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS + (Number(week) - 1) * 7 * DAY_MS;
  if (!isoDay(monday + 3 * DAY_MS).startsWith(year)) return undefined;
  return isoDay(monday + (Number(weekday) - 1) * DAY_MS);
}

function isoDay(millis: number): string {
  return Number.isNaN(millis) ? '' : new Date(millis).toISOString().slice(0, 10);
}

function readAsUtc(local: string): number {
  return Date.parse(`${local}Z`);
}

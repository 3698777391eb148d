import { millisOf } from './dates.ts';
import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { isEmpty } from './text.ts';

/** How {@link toTime} reads a time. */
export interface TimeInfo extends ParameterInfo {
  /** Reads an ISO 8601 time without an offset; returns milliseconds since the epoch. Default: as UTC. */
  readLocal?: (text: string) => number;
}

/** ISO 8601 as people and databases write it: a date, perhaps a time, perhaps an offset. */
const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?)?$/i;

/**
 * A time as ISO 8601 UTC: from a date, or from text in ISO 8601. Undefined for an empty value.
 * @throws ParameterError for anything else, a day that the calendar doesn't have among it
 */
export function toTime(value: unknown, info: TimeInfo): string | undefined {
  if (isEmpty(value)) return undefined;
  const millis = typeof value === 'object' ? millisOf(value) : readIso(value, info.readLocal);
  if (millis !== undefined && millis !== null && !Number.isNaN(new Date(millis).getTime()))
    return new Date(millis).toISOString();
  throw invalidParameter(value, info, 'a date and time', 'Use ISO 8601, for example 2026-01-31T09:00:00Z.');
}

function readIso(value: unknown, readLocal = readAsUtc): number | undefined {
  const match = typeof value === 'string' ? ISO_8601.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    offset,
  ] = match;
  const date = `${year}-${month}-${day}`;
  const local = `${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  // `Date` takes the 30th of February for the 2nd of March.
  const midnight = new Date(`${date}T00:00:00.000Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  if (Number.isNaN(readAsUtc(local))) return undefined;
  if (offset === undefined) return readLocal(local);
  return Date.parse(local + (offset.toUpperCase() === 'Z' ? 'Z' : withMinutes(offset)));
}

function readAsUtc(local: string): number {
  return Date.parse(`${local}Z`);
}

function withMinutes(offset: string): string {
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  return `${offset.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

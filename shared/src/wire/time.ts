/** Longer text is never a time. */
const MAX_LENGTH = 64;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const ISO_DATE =
  /^(?<year>\d{4}|[+-]\d{6})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)(?:[T ](?<clock>\S.*))?$/i;
const HTTP_DATE =
  /^(?:(?<weekday>[a-z]{3,9}),? )?(?<day>\d{1,2})[ -](?<month>[a-z]{3})[ -](?<year>\d{4}|\d\d) (?<clock>.+)$/i;
/** The format of C's asctime, the third that HTTP allows. */
const C_DATE =
  /^(?<weekday>[a-z]{3}) (?<month>[a-z]{3}) {1,2}(?<day>\d{1,2}) (?<clock>\d\d:\d\d:\d\d) (?<year>\d{4})$/i;
const CLOCK =
  /^(?<hour>\d\d|\d(?=:))(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)? ?(?:z|utc|gmt|(?<sign>[+-])(?<zoneHour>\d\d):?(?<zoneMinute>\d\d)?)?$/i;

/**
 * Reads a time from the service, in milliseconds since the epoch: an ISO 8601 date or date and time, an HTTP date, or
 * epoch seconds, milliseconds, microseconds or nanoseconds as a number or text. Without a zone it is in UTC (API text:
 * timestamps are UTC). Undefined for anything else, including dates that don't exist.
 */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const text = value.trim();
  const parts = (ISO_DATE.exec(text) ?? HTTP_DATE.exec(text) ?? C_DATE.exec(text))?.groups;
  if (parts !== undefined) return fromParts(parts);
  return /^\d+(?:\.\d+)?$/.test(text) ? fromEpoch(Number(text)) : undefined;
}

/**
 * The same for HTTP or mail dates that users enter: the day of the week must be right and the zone named, except in C's
 * format, which is always UTC (RFC 9110, 5.6.7).
 */
export function readHttpDate(text: string): number | undefined {
  const named = HTTP_DATE.exec(text);
  if (named !== null && !/(?:gmt|utc|[+-]\d{4})$/i.test(text)) return undefined;
  const parts = (named ?? C_DATE.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const time = fromParts(parts);
  const day = fromParts({ ...parts, clock: '00:00' });
  if (time === undefined || day === undefined) return undefined;
  const given = parts['weekday']?.toLowerCase();
  const weekday = WEEKDAYS[new Date(day).getUTCDay()] ?? '';
  return given === undefined || given === weekday || given === weekday.slice(0, 3) ? time : undefined;
}

/**
 * Accepts only numbers with as many digits as times between 2001 and 2286 have in each unit: any other number may be
 * something else, such as 20260115.
 */
function fromEpoch(value: number): number | undefined {
  for (const perMs of [0.001, 1, 1000, 1_000_000]) {
    const ms = value / perMs;
    if (ms >= 1e12 && ms < 1e13) return Math.round(ms);
  }
  return undefined;
}

type Parts = Partial<Record<string, string>>;

function fromParts({ year = '', month = '', day, clock }: Parts): number | undefined {
  const date = new Date(0);
  const monthIndex = /\d/.test(month) ? Number(month) - 1 : MONTHS.indexOf(month.toLowerCase());
  date.setUTCFullYear(fullYear(year), monthIndex, Number(day));
  // `Date` turns a day that the month doesn't have into one of the next month.
  if (date.getUTCMonth() !== monthIndex || date.getUTCDate() !== Number(day)) return undefined;
  const timeOfDay = clock === undefined ? 0 : readClock(clock);
  if (timeOfDay === undefined) return undefined;
  const time = date.getTime() + timeOfDay;
  return Number.isNaN(new Date(time).getTime()) ? undefined : time;
}

/** HTTP's oldest format has years of two digits. */
function fullYear(year: string): number {
  const number = Number(year);
  if (year.length > 2) return number;
  return number + (number < 70 ? 2000 : 1900);
}

/** Milliseconds since midnight UTC. */
function readClock(clock: string): number | undefined {
  const parts = CLOCK.exec(clock)?.groups as Parts | undefined;
  if (parts === undefined) return undefined;
  const { hour, minute = 0, second = 0, fraction = '', sign, zoneHour = 0, zoneMinute = 0 } = parts;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  // 24:00 is the end of a day, and a minute may have a leap second.
  if (seconds > 86_400 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -60 : 60);
  return (seconds - offset) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

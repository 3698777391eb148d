const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:Z|UTC|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/**
 * Reads a time from the service, in milliseconds since the epoch: an ISO 8601 date or date and time, also in lower case
 * or with spaces, an HTTP date, or epoch seconds or milliseconds as a number or text. Without a zone it is in UTC (API
 * text: timestamps are UTC). Undefined for anything else, including dates that don't exist.
 */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string') return undefined;
  return /^\d+(?:\.\d+)?$/.test(value) ? fromEpoch(Number(value)) : (readIso(value) ?? readHttpDate(value));
}

const HTTP_DATE = /^(\w{3}), (\d{1,2}) (\w{3} \d{4} \d\d:\d\d:\d\d) (?:GMT|([+-]\d{4}))$/;

/**
 * Reads an HTTP date in the only format that senders may use (RFC 9110, 5.6.7), for example `Thu, 15 Jan 2026 10:02:11
 * GMT`, or the date of a mail or a feed, which ends with `+0100` instead. Returns milliseconds since the epoch, or
 * undefined for anything else.
 */
export function readHttpDate(text: string): number | undefined {
  const [, weekday = '', day = '', rest = '', offset = 'GMT'] = HTTP_DATE.exec(text) ?? [];
  const local = `${weekday}, ${day.padStart(2, '0')} ${rest} GMT`;
  // `Date.parse` alone reads any day of the week, and the 30th of February as the 2nd of March.
  return new Date(local).toUTCString() === local
    ? validTime(Date.parse(`${day} ${rest} ${offset}`))
    : undefined;
}

function readIso(text: string): number | undefined {
  const [, day = '', clock = '00:00', hours = '+00', minutes = '00'] = ISO_TIME.exec(text) ?? [];
  const time = validTime(Date.parse(`${day}T${clock}${hours}:${minutes}`));
  // `Date.parse` reads the 30th of February as the 2nd of March.
  return time !== undefined && new Date(day).toISOString().startsWith(day) ? time : undefined;
}

/**
 * Accepts only numbers with as many digits as times between 2001 and 2286 have in each unit: any other number may be
 * something else, such as 20260115.
 */
function fromEpoch(value: number): number | undefined {
  const ms = value < 1e11 ? value * 1000 : value;
  return ms >= 1e12 && ms < 1e13 ? Math.round(ms) : undefined;
}

function validTime(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}

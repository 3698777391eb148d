const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(Z|UTC|([+-]\d\d)(?::?(\d\d))?))?)?$/i;

/** Reads an ISO 8601, HTTP or epoch time, in milliseconds. Without a zone it is in UTC (docs/api.md#qr-codes). */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number') return fromEpoch(value);
  if (typeof value !== 'string') return undefined;
  return /^\d+(?:\.\d+)?$/.test(value)
    ? fromEpoch(Number(value))
    : (readIsoTime(value) ?? readHttpDate(value));
}

/** Reads an HTTP date, for example `Thu, 15 Jan 2026 10:02:11 GMT`, also with an offset instead, as in mails. */
export function readHttpDate(text: string): number | undefined {
  const isHttpDate = /^\w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/.test(text);
  return isHttpDate ? validTime(Date.parse(text)) : undefined;
}

/** Reads an ISO 8601 date or date and time, such as `2026-01-31 09:00`. `readLocal` reads a time without an offset. */
export function readIsoTime(text: string, readLocal = readAsUtc): number | undefined {
  const [, date = '', time = '00:00', zone, hours = '+00', minutes = '00'] = ISO_TIME.exec(text) ?? [];
  const local = `${date}T${time}`;
  // `Date` reads the 30th of February as the 2nd of March.
  const asUtc = validTime(readAsUtc(local));
  if (asUtc === undefined || new Date(asUtc).getUTCDate() !== Number(date.slice(8))) return undefined;
  return zone === undefined ? readLocal(local) : validTime(Date.parse(`${local}${hours}:${minutes}`));
}

function readAsUtc(local: string): number {
  return Date.parse(`${local}Z`);
}

/** Only numbers as long as times from 2001 to 2286: any other may be something else, such as 20260115. */
function fromEpoch(value: number): number | undefined {
  const ms = value < 1e11 ? value * 1000 : value;
  return ms >= 1e12 && ms < 1e13 ? Math.round(ms) : undefined;
}

function validTime(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}

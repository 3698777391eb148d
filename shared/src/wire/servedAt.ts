import { readHeader, type WireHeaders } from './headers.ts';
import { readTime } from './time.ts';

/**
 * When the service sent a response by its own clock, in milliseconds since the epoch, to the second; undefined without
 * a readable `Date` header. A cache may set its own date on a response that it has stored for `Age` seconds, so these
 * are subtracted: the result is never later than the data, but may be earlier.
 */
export function readServedAt(headers: WireHeaders): number | undefined {
  const date = readTime(readHeader(headers, 'Date'));
  const age = readHeader(headers, 'Age') ?? '';
  if (date === undefined) return undefined;
  return /^\d{1,9}$/.test(age) ? date - Number(age) * 1000 : date;
}

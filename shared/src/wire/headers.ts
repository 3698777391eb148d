import { readTime } from './time.ts';

/** Headers as a transport or a platform returns them: names in any case, a repeated one as an array. */
export type WireHeaders = Record<string, string | string[] | undefined>;

/** Reads a header by name in any case; the first value of a repeated header. */
export function readHeader(headers: WireHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const key = Object.hasOwn(headers, wanted)
    ? wanted
    : Object.keys(headers).find((each) => each.toLowerCase() === wanted);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * When the service sent a response by its own clock, in milliseconds since the epoch, to the second; undefined without
 * a readable `Date` header.
 */
export function readServedAt(headers: WireHeaders): number | undefined {
  return readTime(readHeader(headers, 'Date'));
}

import { z } from 'zod';
import { readTime } from '../../validation/checks.ts';
import { apiFailure, validationFailure } from '../failures.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]00:?00)$/;
const DEFAULT_PAGE_SIZE = 50;

/**
 * Reads a whole number from the query.
 * @throws ApiFailure 422 naming the parameter
 */
export function readInteger(
  name: string,
  value: string | undefined,
  range: { min: number; max: number; default: number },
): number {
  if (value === undefined) return range.default;
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN;
  if (!(number >= range.min && number <= range.max))
    throw validationFailure({ [name]: `must be a whole number from ${range.min} to ${range.max}` });
  return number;
}

/** Reads the page size: `limit` from 1 to the maximum, 50 by default. */
export function readLimit(value: string | undefined, max: number): number {
  return readInteger('limit', value, { min: 1, max, default: Math.min(DEFAULT_PAGE_SIZE, max) });
}

/**
 * Reads a timestamp from the query, as milliseconds since the epoch.
 * @throws ApiFailure 422 naming the parameter
 */
function readTimestamp(name: string, value: string): number {
  // An unencoded `+` arrives as a space.
  const time = TIMESTAMP.test(value.replace(' ', '+')) ? readTime(value.replace(' ', '+')) : NaN;
  if (Number.isNaN(time))
    throw validationFailure({ [name]: 'must be an ISO 8601 UTC timestamp such as 2026-01-15T09:30:00.000Z' });
  return time;
}

/**
 * Reads the earliest time of a list's rows from the query, as milliseconds since the epoch.
 * @throws ApiFailure 422 naming the parameter
 */
export function readSince(name: string, value: string | undefined, how: 'inclusive' | 'exclusive'): number {
  if (value === undefined) return how === 'inclusive' ? 0 : 1;
  return readTimestamp(name, value) + (how === 'inclusive' ? 0 : 1);
}

/**
 * Parses a JSON object and reads its fields.
 * @throws ApiFailure 422 naming every invalid field
 */
export function readFields<Fields>(text: string, schema: z.ZodType<Fields>): Fields {
  const { data, error } = schema.safeParse(parseObject(text));
  if (error === undefined) return data;
  const problems = error.issues.map(({ path, message }) => [z.core.toDotPath(path), message] as const);
  throw validationFailure(Object.fromEntries(problems));
}

function parseObject(text: string): object {
  if (text.trim() === '') throw validationFailure({ body: 'is empty; send a JSON object' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw validationFailure({ body: 'is not valid JSON' });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw validationFailure({ body: 'must be a JSON object' });
}

/** A value in a cursor: a time, a sequence number or an id. */
type CursorValue = number | string;

/** Encodes named values as an opaque cursor. */
export function writeCursor(kind: string, values: Record<string, CursorValue>): string {
  return Buffer.from(JSON.stringify({ kind, ...values })).toString('base64url');
}

/**
 * Decodes a cursor of this kind. Its values have the names and types of `example`.
 * @throws ApiFailure 422 `invalid_cursor` for anything that `writeCursor` didn't write
 */
export function readCursor<Values extends Record<string, CursorValue>>(
  cursor: string,
  kind: string,
  example: Values,
): Values {
  let read: Values | null;
  try {
    read = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as typeof read;
  } catch {
    throw invalidCursor();
  }
  const values = Object.fromEntries(Object.keys(example).map((name) => [name, read?.[name]])) as Values;
  const isValid = Object.entries(values).every(
    ([name, value]) =>
      typeof value === typeof example[name] && (typeof value === 'string' || Number.isSafeInteger(value)),
  );
  if (!isValid || writeCursor(kind, values) !== cursor) throw invalidCursor();
  return values;
}

/** The failure for a cursor that isn't valid. */
export function invalidCursor(): Error {
  return apiFailure('invalid_cursor', 'The cursor is no longer valid. Start again from the first page.');
}

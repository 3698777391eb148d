import { readTime } from '../../../validation/checks.ts';
import { validationFailure } from '../../apiFailure.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]00:?00)$/;

const DEFAULT_PAGE_SIZE = 50;
/** Page size of a list that isn't paginated. */
const UNPAGED = 1e9;

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

/** Reads the page size: `limit` from 1 to the maximum, 50 by default; every row if lists have no pages. */
export function readLimit(
  value: string | undefined,
  { maxPageSize, isPaged }: { maxPageSize: number; isPaged: boolean },
): number {
  const limit = readInteger('limit', value, {
    min: 1,
    max: maxPageSize,
    default: Math.min(DEFAULT_PAGE_SIZE, maxPageSize),
  });
  return isPaged ? limit : UNPAGED;
}

/**
 * Reads a timestamp from the query, as milliseconds since the epoch.
 * @throws ApiFailure 422 naming the parameter
 */
export function readTimestamp(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  // An unencoded `+` arrives as a space.
  const time = TIMESTAMP.test(value.replace(' ', '+')) ? readTime(value.replace(' ', '+')) : NaN;
  if (Number.isNaN(time))
    throw validationFailure({ [name]: 'must be an ISO 8601 UTC timestamp such as 2026-01-15T09:30:00.000Z' });
  return time;
}

import { validationFailure } from '../../apiFailure.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]00:?00)$/;

const DEFAULT_PAGE_SIZE = 50;
/** Rows of a list that is not paged. */
const UNPAGED = 1e9;

/**
 * A whole number from the query.
 * @throws ApiFailure 422 naming the parameter
 */
export function readInteger(
  name: string,
  value: string | undefined,
  range: { least: number; most: number; default: number },
): number {
  if (value === undefined) return range.default;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (!(number >= range.least && number <= range.most))
    throw validationFailure({ [name]: `must be a whole number from ${range.least} to ${range.most}` });
  return number;
}

/** Rows a page: `limit` from 1 to the largest, 50 where it is missing; all of them where there are no pages. */
export function readLimit(
  value: string | undefined,
  { maxPageSize, isPaged }: { maxPageSize: number; isPaged: boolean },
): number {
  const limit = readInteger('limit', value, { least: 1, most: maxPageSize, default: DEFAULT_PAGE_SIZE });
  return isPaged ? limit : UNPAGED;
}

/**
 * A moment from the query, in milliseconds since the epoch.
 * @throws ApiFailure 422 naming the parameter
 */
export function readTimestamp(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  // A `+` that was not encoded arrives as a space.
  const time = TIMESTAMP.test(value.replace(' ', '+')) ? Date.parse(value.replace(' ', '+')) : NaN;
  if (Number.isNaN(time))
    throw validationFailure({ [name]: 'must be an ISO 8601 UTC timestamp such as 2026-01-15T09:30:00.000Z' });
  return time;
}

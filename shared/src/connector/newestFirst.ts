import { readTime } from '../wire/time.ts';

/** Sorts rows by a time of the service, newest first. Rows without a time come last, in their original order. */
export function newestFirst<Row>(rows: readonly Row[], timeOf: (row: Row) => unknown): Row[] {
  const time = (row: Row) => readTime(timeOf(row)) ?? Number.MIN_SAFE_INTEGER;
  return [...rows].sort((a, b) => time(b) - time(a));
}

import { readTime } from '@qr-service/core/connector';

/** Sorted by a time of the service, newest first; rows without one come last, in the order given. */
export function newestFirst<Row>(rows: readonly Row[], timeOf: (row: Row) => unknown): Row[] {
  const time = (row: Row) => readTime(timeOf(row)) ?? Number.MIN_SAFE_INTEGER;
  return [...rows].sort((a, b) => time(b) - time(a));
}

/** Sorted by an ISO 8601 time, newest first; rows without one come last, in the order given. */
export function newestFirst<Row>(
  rows: readonly Row[],
  timeOf: (row: Row) => string | null | undefined,
): Row[] {
  const time = (row: Row) => Date.parse(timeOf(row) ?? '') || 0;
  return [...rows].sort((a, b) => time(b) - time(a));
}

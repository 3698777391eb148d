/** Order of a walk over codes: by `updatedAt`, oldest or newest first, or by id. */
export type WalkOrder = 'ascending' | 'descending' | 'id';

/** A position in a walk. Times are milliseconds since the epoch. */
export type WalkPlace = {
  /** The walk returns the codes as they were at this time. */
  snapshot: number;
  /** Lowest `updatedAt` of the walk. */
  since: number;
  /** `updatedAt`, or id, of the first code of the page. */
  from: number | string;
};

/** Where a walk begins. */
export function startOf(order: WalkOrder, since: number, snapshot: number): WalkPlace {
  return { snapshot, since, from: { ascending: since, descending: snapshot, id: '' }[order] };
}

/** A code's position in the order. */
export function placeOf(order: WalkOrder, code: { id: string; updatedAt: number }): number | string {
  return order === 'id' ? code.id : code.updatedAt;
}

const ORDERS: Record<WalkOrder, { where: string; by: string }> = {
  ascending: { where: 'updated_at BETWEEN :from AND :snapshot AND :from >= :since', by: 'updated_at' },
  descending: { where: 'updated_at BETWEEN :since AND :from AND :from <= :snapshot', by: 'updated_at DESC' },
  // The plus keeps SQLite from using the index on `updated_at`, so that the primary key gives the order.
  id: { where: 'id >= :from AND +updated_at BETWEEN :since AND :snapshot', by: 'id' },
};

/** One page of a walk. Both halves use an index and stop after a page, so the time doesn't grow with the table. */
export function walkSql(order: WalkOrder, columns: string): string {
  const { where, by } = ORDERS[order];
  return `
SELECT * FROM (
  SELECT * FROM (SELECT ${columns} FROM qr_codes
    WHERE ${where} ORDER BY ${by} LIMIT :count)
  UNION ALL
  SELECT * FROM (SELECT ${columns} FROM qr_history
    WHERE ${where} AND superseded_at > :snapshot ORDER BY ${by} LIMIT :count)
) ORDER BY ${by} LIMIT :count`;
}

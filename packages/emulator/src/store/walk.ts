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

/** Where a walk begins. `since` is the start of a step of `updatedAt`. */
export function startOf(order: WalkOrder, since: number, snapshot: number): WalkPlace {
  return { snapshot, since, from: { ascending: since, descending: snapshot, id: '' }[order] };
}

/** A position after all codes. */
export function endOf(order: WalkOrder): number | string {
  return { ascending: Number.MAX_SAFE_INTEGER, descending: -1, id: '\uffff' }[order];
}

/** A code's position in the order. @param stepMs step of `updatedAt` */
export function placeOf(
  order: WalkOrder,
  { id, writtenAt }: { id: string; writtenAt: number },
  stepMs: number,
): number | string {
  if (order === 'id') return id;
  const turned = writtenAt - 2 * (writtenAt % stepMs);
  return order === 'ascending' ? turned + stepMs - 1 : turned;
}

type Orders = Record<WalkOrder, { where: string; by: string }>;

const ORDERS: Orders = {
  ascending: { where: 'updated_at BETWEEN :from AND :snapshot AND :from >= :since', by: 'updated_at' },
  descending: { where: 'updated_at BETWEEN :since AND :from AND :from <= :snapshot', by: 'updated_at DESC' },
  // The plus keeps SQLite from using the index on `updated_at`, so that the primary key gives the order.
  id: { where: 'id >= :from AND +updated_at BETWEEN :since AND :snapshot', by: 'id' },
};

/**
 * Orders for codes that share their `updatedAt` with all others of a step. The last one written comes first among them when
 * the oldest come first, and the other way round, because a client must not rely on either.
 */
function tiedOrders(stepMs: number): Orders {
  const turned = `updated_at - 2 * (updated_at % ${stepMs})`;
  const isListed = 'updated_at BETWEEN :since AND :snapshot';
  return {
    ascending: { where: `${isListed} AND ${turned} + ${stepMs - 1} >= :from`, by: turned },
    descending: { where: `${isListed} AND ${turned} <= :from`, by: `${turned} DESC` },
    id: ORDERS.id,
  };
}

/**
 * One page of a walk. Both halves use an index and stop after a page, so the time doesn't grow with the table.
 * @param stepMs step of `updatedAt`; with more than 1, a page reads every code of the walk
 */
export function walkSql(order: WalkOrder, columns: string, stepMs = 1): string {
  const { where, by } = (stepMs === 1 ? ORDERS : tiedOrders(stepMs))[order];
  return `
SELECT * FROM (
  SELECT * FROM (SELECT ${columns} FROM qr_codes
    WHERE ${where} ORDER BY ${by} LIMIT :count)
  UNION ALL
  SELECT * FROM (SELECT ${columns} FROM qr_history
    WHERE ${where} AND superseded_at > :snapshot ORDER BY ${by} LIMIT :count)
) ORDER BY ${by} LIMIT :count`;
}

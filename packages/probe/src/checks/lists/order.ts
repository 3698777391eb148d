import type { Page, QrCode } from '@qr-service/core';
import { readTime } from '@qr-service/core/connector';
import type { WireShape } from '@qr-service/core/shape';
import type { Exchange } from '../../http/Exchange.ts';
import { retarget } from '../changes.ts';
import type { Probe } from '../Probe.ts';

type Order = NonNullable<WireShape['listOrder']>;
type ListCodes = (query: Record<string, string | number>) => Promise<Page<QrCode>>;

const ORDERS: readonly Order[] = ['ascending', 'descending', 'id'];
const NAMES: Record<Order, string> = {
  ascending: 'by updatedAt, oldest first',
  descending: 'by updatedAt, newest first',
  id: 'by ID',
};
/** With fewer, rows that are sorted by something else too often look sorted. */
const ENOUGH_ROWS = 5;
const POLL_MS = 500;

/** The orders that rows may be in. */
export function possibleOrders(rows: readonly QrCode[]): Order[] {
  const times = rows.map(({ updatedAt }) => readTime(updatedAt) ?? NaN);
  const pairs = rows.slice(1).map((row, index) => ({
    time: (times[index + 1] ?? NaN) - (times[index] ?? NaN),
    id: compareIds((rows[index] as QrCode).id, row.id),
  }));
  const fits: Record<Order, boolean> = {
    // Several codes may share one time.
    ascending: pairs.every(({ time }) => time >= 0),
    descending: pairs.every(({ time }) => time <= 0),
    id: pairs.every(({ id }) => id < 0),
  };
  return ORDERS.filter((order) => fits[order]);
}

/** Finds out the order of codes, by moving one of the probe's own codes if the rows alone don't tell. */
export async function checkOrder(
  probe: Probe,
  list: ListCodes,
  rows: readonly QrCode[],
  first: Exchange,
): Promise<void> {
  if (rows.some(({ updatedAt }) => readTime(updatedAt) === undefined)) {
    const explanation = 'Codes have no readable updatedAt. The connector works with any order.';
    probe.answer('lists.order', { verdict: 'unknown', explanation, from: [first] });
    return;
  }
  const distinct = new Set(rows.map(({ updatedAt }) => updatedAt)).size;
  const possible = possibleOrders(rows);
  const answer = (order: Order, from: readonly Exchange[]) => {
    probe.wireShape.listOrder = order;
    probe.answer('lists.order', { verdict: 'works', value: NAMES[order], from });
  };
  if (possible.length === 0) {
    probe.answer('lists.order', {
      verdict: 'works',
      value: 'neither by updatedAt nor by ID',
      explanation: 'The connector works with any order.',
      from: [first],
    });
    return;
  }
  const [only, other] = possible;
  const count = only === 'id' ? rows.length : distinct;
  if (only !== undefined && other === undefined && count >= ENOUGH_ROWS) {
    answer(only, [first]);
    return;
  }
  const moved = probe.write ? await orderAfterMove(probe, list, possible, rows) : undefined;
  if (moved !== undefined) {
    answer(moved, [first]);
    return;
  }
  const names = possible.map((order) => NAMES[order]).join(' or ');
  probe.answer('lists.order', {
    verdict: 'unknown',
    value: rows.length < 2 ? undefined : `maybe ${names}`,
    explanation: `${
      rows.length < ENOUGH_ROWS || distinct < ENOUGH_ROWS
        ? `The first page has too few codes with different times to tell (${distinct}).`
        : 'The rows are in several orders at once.'
    } ${probe.rerun('after somebody changed an old code')} The connector works with any order.`,
    from: [first],
  });
}

/** Changes the oldest of the probe's own codes: only in an order by `updatedAt`, it moves. */
async function orderAfterMove(
  probe: Probe,
  list: ListCodes,
  possible: readonly Order[],
  rows: readonly QrCode[],
): Promise<Order | undefined> {
  const { written, visibleAfterMs = 0 } = probe.known;
  const ids = new Set(written.map(({ id }) => id));
  const [mover] = written
    .map((code) => rows.find(({ id }) => id === code.id) ?? code)
    .toSorted((one, other) => (readTime(one.updatedAt) ?? 0) - (readTime(other.updatedAt) ?? 0));
  const since = Math.min(...written.map(({ updatedAt }) => readTime(updatedAt) ?? Infinity)) - 1000;
  if (mover === undefined || written.length < 3 || !Number.isFinite(since)) return undefined;
  const query = { limit: 50, updatedSince: new Date(since).toISOString() };
  const own = async () => (await list(query)).rows.filter(({ id }) => ids.has(id));
  const before = await own();
  await retarget(probe, mover.id);
  const deadline = probe.now() + visibleAfterMs + 5000;
  let after = await own();
  while (
    after.find(({ id }) => id === mover.id)?.updatedAt === before.find(({ id }) => id === mover.id)?.updatedAt
  ) {
    if (probe.now() >= deadline) return undefined;
    await probe.connection.sleep(POLL_MS);
    after = await own();
  }
  if (before.length < 3 || after.length < 3) return undefined;
  const both = possible.filter(
    (order) => possibleOrders(before).includes(order) && possibleOrders(after).includes(order),
  );
  const [only, other] = both;
  // A list by ID can't be told from any other that a change doesn't move.
  if (only === undefined || other !== undefined || (only === 'id' && rows.length < ENOUGH_ROWS))
    return undefined;
  return only;
}

/** IDs that are numbers may be sorted as such. */
function compareIds(one: string, other: string): number {
  const numbers = /^\d{1,15}$/.test(one) && /^\d{1,15}$/.test(other);
  if (numbers) return Number(one) - Number(other);
  return one < other ? -1 : one > other ? 1 : 0;
}

import type { Page, QrCode } from '@qr-service/core';
import { readTime } from '@qr-service/core/connector';
import type { WireShape } from '@qr-service/core/shape';
import { retarget, waitUntil } from '../changes.ts';
import type { Probe } from '../Probe.ts';

type Order = NonNullable<WireShape['listOrder']>;
type ListCodes = (query: Record<string, string | number>) => Promise<Page<QrCode>>;

const ORDERS: readonly Order[] = ['ascending', 'descending', 'id'];
/** With fewer, rows that are sorted by something else too often look sorted. */
const ENOUGH_ROWS = 5;
const POLL_MS = 500;
const SECOND_MS = 1000;
/** The probe's own codes come on fewer, unless others change many at the same time. */
const MOST_PAGES = 12;

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

/** Finds out the order of codes, by moving one of the probe's own codes if it may write. */
export async function checkOrder(probe: Probe, list: ListCodes, rows: readonly QrCode[]): Promise<void> {
  const hasTimes = rows.every(({ updatedAt }) => readTime(updatedAt) !== undefined);
  const distinct = new Set(rows.map(({ updatedAt }) => updatedAt)).size;
  const possible = hasTimes ? possibleOrders(rows) : [];
  const [only, other] = possible;
  if (only !== undefined && other === undefined && (only === 'id' ? rows.length : distinct) >= ENOUGH_ROWS)
    probe.wireShape.listOrder = only;
  if (!probe.write) return;
  const moved = await checkEdits(probe, list);
  if (typeof moved === 'string') probe.answer('lists.edits', { verdict: 'unknown', explanation: moved });
  else if (probe.wireShape.listOrder === undefined && moved.after.length >= 3) {
    const [order, another] = possible.filter(
      (name) => possibleOrders(moved.before).includes(name) && possibleOrders(moved.after).includes(name),
    );
    // A list by ID can't be told from any other that a change doesn't move.
    const isTold = order !== 'id' || rows.length >= ENOUGH_ROWS;
    if (order !== undefined && another === undefined && isTold) probe.wireShape.listOrder = order;
  }
}

/**
 * Changes the oldest of the probe's own codes during a walk, and looks whether the others are still listed.
 * @returns the probe's own codes before and after, or why that could not be seen
 */
async function checkEdits(
  probe: Probe,
  list: ListCodes,
): Promise<{ before: QrCode[]; after: QrCode[] } | string> {
  const { written, visibleAfterMs = 0 } = probe.known;
  const ids = new Set(written.map(({ id }) => id));
  const since = Math.min(...written.map(({ updatedAt }) => readTime(updatedAt) ?? Infinity)) - 1000;
  if (probe.answerTo('lists.walk')?.verdict === 'fails')
    return '"Walk over several pages" failed, and this depends on it.';
  if (written.length < 3 || !Number.isFinite(since))
    return 'The probe has too few codes of its own with a time.';
  const query = { limit: 50, updatedSince: new Date(since).toISOString() };
  const own = async () => (await list(query)).rows.filter(({ id }) => ids.has(id));
  const before = await own();
  const [mover] = before.toSorted(
    (one, other) => (readTime(one.updatedAt) ?? 0) - (readTime(other.updatedAt) ?? 0),
  );
  if (mover === undefined || before.length < 3) return "The probe's own codes are not listed together.";
  let page = await list({ ...query, limit: 1 });
  const walked = [...page.rows];
  // Times may be in whole seconds.
  await probe.connection.sleep(SECOND_MS);
  await retarget(probe, mover.id);
  const timeOf = (codes: readonly QrCode[]) => codes.find(({ id }) => id === mover.id)?.updatedAt;
  const deadline = probe.now() + visibleAfterMs + 5000;
  let after = await own();
  while (timeOf(after) === timeOf(before)) {
    if (probe.now() >= deadline) return 'A change of a code was not listed.';
    await probe.connection.sleep(POLL_MS);
    after = await own();
  }
  const changed = new Date((readTime(timeOf(after)) ?? SECOND_MS) - SECOND_MS / 2).toISOString();
  const listChanged = async () => (await list({ ...query, updatedSince: changed })).rows;
  const isMoved = (rows: readonly QrCode[]) => rows.some(({ id }) => id === mover.id);
  if (!isMoved(await waitUntil(probe, listChanged, isMoved)))
    probe.answer('lists.since', {
      verdict: 'fails',
      value: 'not by updatedAt',
      explanation:
        'A code that changed is not listed with updatedSince just before its updatedAt. Polling misses changes of older codes.',
    });
  for (let pages = 1; page.nextCursor !== undefined && pages < MOST_PAGES; pages++) {
    page = await list({ ...query, limit: 1, cursor: page.nextCursor });
    walked.push(...page.rows);
  }
  const others = before.filter(({ id }) => id !== mover.id);
  const counts = others.map((code) => walked.filter(({ id }) => id === code.id).length);
  const isComplete = page.nextCursor === undefined;
  const [isMissing, isRepeated] = [isComplete && counts.includes(0), counts.some((count) => count > 1)];
  if (!isComplete && counts.includes(0)) return 'The list is longer than the probe reads.';
  probe.answer('lists.edits', {
    verdict: isMissing ? 'fails' : isRepeated ? 'differs' : 'works',
    value: isMissing ? 'rows vanish' : isRepeated ? 'rows repeat' : 'no row is lost',
    explanation: isMissing
      ? 'When a code changes while a list is read, another one is left out. The connector misses it.'
      : isRepeated
        ? 'When a code changes while a list is read, another one comes twice. Triggers skip it; steps that list codes return it twice.'
        : undefined,
  });
  return { before, after };
}

/** IDs that are numbers may be sorted as such. */
function compareIds(one: string, other: string): number {
  const numbers = /^\d{1,15}$/.test(one) && /^\d{1,15}$/.test(other);
  if (numbers) return Number(one) - Number(other);
  return one < other ? -1 : one > other ? 1 : 0;
}

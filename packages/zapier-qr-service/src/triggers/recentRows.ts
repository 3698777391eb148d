import { omitUndefined } from '@qr-service/core/connector';
import type { Page, Paginated } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { plainError } from '../errors/zapierErrors.ts';

/** How far back to read, and by which millisecond of the run it must be read. */
interface Window {
  hours: number;
  untilMs: number;
}

/**
 * Zapier remembers which rows it has seen, but a poll can't remember anything: its bundle doesn't say which Zap it is
 * for. So each poll reads a window: wide enough for a weekend's outage, narrower if that takes too long.
 */
const POLL_WINDOWS: readonly Window[] = [
  { hours: 72, untilMs: 10_000 },
  { hours: 6, untilMs: 15_000 },
  { hours: 0.5, untilMs: 24_000 },
];

/**
 * Turning a Zap on reads all that any later poll can read, or fails: a row that Zapier hasn't seen then would count as
 * new as soon as its window can be read. It reads further back than polls by more than clocks differ.
 */
const TURN_ON_WINDOWS: readonly Window[] = [{ hours: 74, untilMs: 24_000 }];

/** Most rows of a poll: Zapier accepts 20 MB, and a row may have 1 kB. */
const MAX_ROWS = 20_000;
const HOUR = 60 * 60 * 1000;

/** What users are told if there are too many rows. */
export interface TooManyRows {
  code: string;
  /** When a Zap is turned on. */
  onTurnOn: string;
  /** When a Zap that is on checks for rows. */
  onPoll: string;
}

/**
 * The rows of a poll.
 * @throws Zapier's error with the given text if they can't all be read
 */
export async function pollRows<Row>(
  z: ZObject,
  { meta }: Bundle,
  listSince: ListSince<Row>,
  { code, onTurnOn, onPoll }: TooManyRows,
): Promise<Row[]> {
  const windows = meta.isPopulatingDedupe ? TURN_ON_WINDOWS : POLL_WINDOWS;
  const rows = await recentRows(listSince, Date.now(), windows);
  if (rows === undefined) throw plainError(z, meta.isPopulatingDedupe ? onTurnOn : onPoll, code);
  return rows;
}

type ListSince<Row> = (since: string) => Paginated<Row, Page<Row>>;

/**
 * All rows of the widest window that can be read completely: as the API promises no order, part of a window would lose
 * rows. Windows end now by the service's clock, where its first page has it. Undefined when none can be read.
 */
export async function recentRows<Row>(
  listSince: ListSince<Row>,
  now = Date.now(),
  windows = POLL_WINDOWS,
): Promise<Row[] | undefined> {
  const startedAt = Date.now();
  let clock = now;
  for (const { hours, untilMs } of windows) {
    const read = (time: number) =>
      readWindow(listSince(new Date(time - hours * HOUR).toISOString()), time, startedAt + untilMs);
    const { rows, servedAt = clock, isShort } = await read(clock);
    const whole = isShort === true ? (await read(servedAt)).rows : rows;
    clock = servedAt;
    if (whole !== undefined) return whole;
  }
  return undefined;
}

interface Read<Row> {
  /** Undefined when there are too many. */
  rows?: Row[];
  /** When the first page was served, by its `Date` header. */
  servedAt?: number;
  /** Whether this machine's clock is ahead, so that the window has to be read by the service's clock. */
  isShort?: boolean;
}

async function readWindow<Row>(
  list: Paginated<Row, Page<Row>>,
  clock: number,
  endsAt: number,
): Promise<Read<Row>> {
  let read: Read<Row> | undefined;
  let rows: Row[] = [];
  // A service that returns nothing is slow, whatever the window: the transport's own limit says so.
  const isOver = () => rows.length > 0 && Date.now() >= endsAt;
  try {
    for await (const { servedAt, nextCursor, rows: pageRows } of list.pages()) {
      read ??= omitUndefined({ servedAt });
      if (servedAt !== undefined && servedAt < clock - HOUR) return { servedAt, isShort: true };
      rows = rows.concat(pageRows);
      if (nextCursor !== undefined && (isOver() || rows.length > MAX_ROWS)) return read;
    }
  } catch (error) {
    if (isOver()) return { ...read };
    throw error;
  }
  return { ...read, rows };
}

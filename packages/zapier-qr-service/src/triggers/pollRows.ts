import type { Page, Paginated, QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { isOwnError } from '../errors/isOwnError.ts';
import { plainError } from '../errors/zapierErrors.ts';

/** How far back to read, and what that may take. */
interface Window {
  hours: number;
  /** By which millisecond of the poll it must be read. */
  untilMs: number;
  /** Part of the rate limit that it leaves to narrower windows, and to other steps with the same key. */
  spare: number;
}

/**
 * Zapier remembers which rows it has seen, but a poll can't remember anything: its bundle doesn't say which Zap it is
 * for. So each poll reads a window: wide enough for a weekend's outage, narrower if that takes too long.
 */
const POLL_WINDOWS: readonly Window[] = [
  { hours: 72, untilMs: 10_000, spare: 0.5 },
  { hours: 6, untilMs: 15_000, spare: 0.25 },
  { hours: 0.5, untilMs: 24_000, spare: 0 },
];

/**
 * Turning a Zap on reads all that any later poll can read, or fails: a row that Zapier hasn't seen then would count as
 * new as soon as its window can be read. It reads further back than polls by twice `MAX_DRIFT_MS`: each poll's clock may
 * differ. Zapier's 30 s for turning on include a test of the connection.
 */
const TURN_ON_WINDOWS: readonly Window[] = [{ hours: 74, untilMs: 22_000, spare: 0 }];

/** Most JSON that is read: Zapier accepts 20 MB from a poll, and the app adds fields to rows. */
const MAX_BYTES = 15_000_000;
const HOUR = 60 * 60 * 1000;
/** Difference of this machine's and the service's clocks from which a window is read again by the service's. */
const MAX_DRIFT_MS = HOUR;

/** What users are told if there are too many rows. */
export interface TooManyRows {
  code: string;
  /** When a Zap is turned on. */
  onTurnOn: string;
  /** When a Zap that is on checks for rows. */
  onPoll: string;
}

/**
 * The rows of a poll: all rows of the widest window that can be read completely, as the API promises no order and part
 * of a window would lose rows. Windows end now by the service's clock, where its first page has it.
 * @throws Zapier's error with the given text if there are too many for any window
 */
export async function pollRows<Row>(
  z: ZObject,
  { meta }: Bundle,
  client: QrServiceClient,
  listSince: (since: string) => Paginated<Row, Page<Row>>,
  { code, onTurnOn, onPoll }: TooManyRows,
): Promise<Row[]> {
  const startedAt = Date.now();
  let servedAt: number | undefined;

  /** Undefined if the window takes too much. */
  async function readWindow(window: Window): Promise<Row[] | undefined> {
    const { hours, untilMs, spare } = window;
    const now = servedAt ?? startedAt;
    const endsAt = startedAt + untilMs;
    const isDrifted = () => Math.abs((servedAt ?? now) - now) > MAX_DRIFT_MS;
    const isOver = () => Date.now() >= endsAt || isScarce(client, spare, endsAt);
    let rows: Row[] = [];
    let bytes = 0;
    let pages = 0;
    try {
      for await (const page of listSince(new Date(now - hours * HOUR).toISOString()).pages()) {
        servedAt ??= page.servedAt;
        if (isDrifted()) break;
        pages += 1;
        rows = rows.concat(page.rows);
        bytes += JSON.stringify(page.rows).length;
        if (bytes > MAX_BYTES) return undefined;
        // A service that returns nothing is slow, whatever the window: the transport's own limit says so.
        if (page.nextCursor !== undefined && rows.length > 0 && isOver()) return undefined;
      }
    } catch (error) {
      // Waiting doesn't help if the window alone uses up the rate limit.
      const usesUpLimit = isOwnError(error, 429) && pages > (client.rateLimit?.limit ?? Infinity) / 2;
      if (rows.length > 0 && (usesUpLimit || Date.now() >= endsAt)) return undefined;
      throw error;
    }
    return isDrifted() ? readWindow(window) : rows;
  }

  const windows = meta.isPopulatingDedupe ? TURN_ON_WINDOWS : POLL_WINDOWS;
  for (const window of windows) {
    const isLast = window === windows.at(-1);
    if (!isLast && Date.now() >= startedAt + window.untilMs) continue;
    const rows = await readWindow(window);
    if (rows === undefined) continue;
    if (window !== windows[0]) z.console.log(narrowed(window));
    return rows;
  }
  throw plainError(z, meta.isPopulatingDedupe ? onTurnOn : onPoll, code);
}

function narrowed({ hours }: Window): string {
  const read = hours < 1 ? `${hours * 60} minutes` : `${hours} hours`;
  return `The last 3 days contain too much to read in one poll, so this one read only the last ${read}. A later poll that can read further back finds older rows too.`;
}

/** Whether little of the rate limit is left until after a time. */
function isScarce({ rateLimit }: QrServiceClient, spare: number, endsAt: number): boolean {
  return (
    rateLimit !== undefined && rateLimit.resetAt > endsAt && rateLimit.remaining < rateLimit.limit * spare
  );
}

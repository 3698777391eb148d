import { isOwnError } from '@qr-service/core/connector';
import type { Page, Paginated, QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { plainError } from '../errors/zapierErrors.ts';

/** How far back to read, and the limits for that. */
interface Window {
  hours: number;
  /** Time by which reading must be done, in milliseconds since the start of the poll. */
  untilMs: number;
  /** Share of the rate limit to leave for narrower windows, and for other steps with the same key. */
  spare: number;
}

/**
 * Zapier remembers which rows it has seen, but a poll can't remember anything, as its bundle doesn't identify the Zap.
 * So each poll reads a window: wide enough for a weekend's outage, and narrower if that takes too long.
 */
const POLL_WINDOWS: readonly Window[] = [
  { hours: 72, untilMs: 10_000, spare: 0.5 },
  { hours: 6, untilMs: 15_000, spare: 0.25 },
  { hours: 0.5, untilMs: 24_000, spare: 0 },
];

/**
 * Turning a Zap on reads everything that any later poll can read, or fails: any row that Zapier hasn't seen by then
 * would later count as new. It reads further back than polls by twice `MAX_DRIFT_MS`, as the clocks of polls may
 * differ. Zapier's 30 s for turning on include a connection test.
 */
const TURN_ON_WINDOWS: readonly Window[] = [{ hours: 74, untilMs: 22_000, spare: 0 }];

/** Maximum size of the JSON to read: Zapier accepts 20 MB from a poll, and the app adds fields to rows. */
const MAX_BYTES = 15_000_000;
const HOUR = 60 * 60 * 1000;
/**
 * If this machine's clock and the service's differ by more than this, a window is read again by the service's clock.
 */
const MAX_DRIFT_MS = HOUR;

/** Error messages for too many rows. */
export interface TooManyRows {
  code: string;
  /** For turning on a Zap. */
  onTurnOn: string;
  /** For a check of a Zap that is on. */
  onPoll: string;
}

/**
 * Reads the rows of a poll: all rows of the widest window that can be read completely. As the API promises no order,
 * part of a window would lose rows. Windows end now by the service's clock, if its first page has a date.
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
        // If the service returns nothing, the window isn't the problem: the transport's own time limit fails the poll.
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

import { duration, isOwnError } from '@qr-service/core/connector';
import type { Page, Paginated, QrServiceClient } from '@qr-service/core';
import type { Bundle, PlainInputField, ZObject } from 'zapier-platform-core';
import { dropdownChoice } from '../inputs/inputField.ts';
import { oneOfInput } from '../inputs/readInputs.ts';

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

const LABELS = { '30_minutes': '30 minutes', '6_hours': '6 hours', '3_days': '3 days' };
type LookBack = keyof typeof LABELS;
const LOOK_BACK_HOURS = { '30_minutes': 0.5, '6_hours': 6, '3_days': 72 };

/** How far back a polling trigger reads, when a Zap is turned on and in each poll. */
export const LOOK_BACK_FIELD: PlainInputField = {
  key: 'lookBack',
  label: 'Look Back',
  type: 'string',
  required: false,
  default: '6_hours' satisfies LookBack,
  choices: Object.entries(LABELS).map(([value, label]) => dropdownChoice(value, label)),
  helpText:
    'How far back each check reads. After a longer outage, older rows are missed. Choose less for a very busy workspace. Leave empty for 6 hours.',
};

/** How far back a poll reads, and when it began: looking up a code takes some of its time. */
interface PollStart {
  lookBack: LookBack;
  startedAt: number;
}

/**
 * Reads how far back to read, at the start of a poll.
 * @throws ParameterError for anything but one of the choices
 */
export function readLookBack(bundle: Bundle): PollStart {
  const choices = { options: Object.keys(LABELS) as LookBack[], labels: LABELS };
  return { lookBack: oneOfInput(bundle, LOOK_BACK_FIELD, choices) ?? '6_hours', startedAt: Date.now() };
}

/** What to read, one after the other, if the whole window is too much. */
const NARROWER_MS = [5 * MINUTE, 30 * MINUTE, 6 * HOUR];
/** Time for all windows, in milliseconds: Zapier's 30 s for turning on include a connection test. */
const MAX_MS = 22_000;
/** Size of the JSON of all windows, to the page: Zapier accepts 20 MB from a poll. */
const MAX_BYTES = 15_000_000;
/** Size of the fields that the app adds to a row, such as the reference to a scan's code. */
const ADDED_BYTES = 150;
/** Share of these and of the rate limit for polls: less than for turning on, so that they rarely read what it couldn't. */
const POLL_SHARE = 0.8;
/** Share of that for the whole window. */
const WHOLE_SHARE = 2 / 3;
/**
 * Maximum difference between the clocks of this machine and of others like it. If this machine's and the service's
 * differ by more, the window is read again by the service's clock.
 */
const MAX_DRIFT_MS = MINUTE;

/** Milliseconds that are left of a poll's time. */
export function remainingMs({ startedAt }: PollStart): number {
  return startedAt + MAX_MS - Date.now();
}

/** How to read a list, and to convert its rows to the trigger's. */
interface PolledList<Row, Output> {
  listSince: (since: string) => Paginated<Row, Page<Row>>;
  toOutput: (rows: Row[]) => Output[];
  /** Zapier accepts each key only once in a poll. */
  keyOf: (row: Output) => string;
}

/** A window as far as it was read, and the error, if any, for which it isn't complete. */
interface WindowRead<Output> {
  ms: number;
  output: Output[];
  isComplete: boolean;
  error: unknown;
}

/**
 * Reads the rows of a poll: those since the time to look back to. A poll can't remember anything, as its bundle doesn't
 * identify the Zap. If the window is too much, reads narrower ones, and returns the widest that was read completely: as
 * the API promises no order, part of a window would lose rows. Turning a Zap on returns all rows that were read, as
 * those that Zapier doesn't know by then would start the Zap if a later poll can read them.
 */
export async function pollRows<Row, Output>(
  z: ZObject,
  { meta }: Bundle,
  client: QrServiceClient,
  { lookBack, startedAt }: PollStart,
  { listSince, toOutput, keyOf }: PolledList<Row, Output>,
): Promise<Output[]> {
  const { isPopulatingDedupe: isTurningOn } = meta;
  const maxShare = isTurningOn ? 1 : POLL_SHARE;
  let servedAt: number | undefined;
  let bytes = 0;
  let pages = 0;

  /** The share of the time, the size or the rate limit that is used. */
  function used(): number {
    const { limit = 0, remaining = 0, resetAt = 0 } = client.rateLimit ?? {};
    const requests = Math.min(pages, limit - remaining);
    const isShared = requests > 0 && resetAt > startedAt + MAX_MS;
    const ofRateLimit = isShared ? requests / (requests + remaining) : 0;
    return Math.max((Date.now() - startedAt) / MAX_MS, bytes / MAX_BYTES, ofRateLimit);
  }

  async function readWindow(ms: number, share: number): Promise<WindowRead<Output>> {
    const now = servedAt ?? startedAt;
    const isDrifted = () => Math.abs((servedAt ?? now) - now) > MAX_DRIFT_MS;
    // No later poll, on another machine, may read further back than turning on.
    const since = new Date(now - ms - (isTurningOn ? 2 * MAX_DRIFT_MS : 0)).toISOString();
    const rows: Row[] = [];
    let isTooMuch = false;
    let error: unknown;
    try {
      for await (const page of listSince(since).pages()) {
        servedAt ??= page.servedAt;
        if (isDrifted()) break;
        pages += 1;
        bytes += JSON.stringify(page.rows).length + page.rows.length * ADDED_BYTES;
        for (const row of page.rows) rows.push(row);
        // If the service returns nothing, the window isn't too much: the transport's time limit ends the poll.
        isTooMuch = page.nextCursor !== undefined && rows.length > 0 && used() > share;
        if (isTooMuch) break;
      }
    } catch (thrown) {
      if (pages === 0 || !(isOwnError(thrown, 429) || used() > share)) throw thrown;
      isTooMuch = true;
      error = thrown;
    }
    return isDrifted()
      ? readWindow(ms, share)
      : { ms, output: toOutput(rows), isComplete: !isTooMuch, error };
  }

  let last = await readWindow(LOOK_BACK_HOURS[lookBack] * HOUR, maxShare * WHOLE_SHARE);
  const reads = [last];
  for (const ms of last.isComplete ? [] : NARROWER_MS.filter((narrower) => narrower < last.ms)) {
    last = await readWindow(ms, maxShare);
    reads.push(last);
    if (!last.isComplete || used() > maxShare) break;
  }
  const widest = reads.findLast(({ isComplete }) => isComplete);
  const output = isTurningOn ? reads.flatMap((read) => read.output) : (widest ?? last).output;
  if (output.length === 0 && last.error !== undefined) throw last.error as Error;
  if (reads.length > 1) z.console.log(tooMuch(lookBack, widest?.ms));
  return [...new Map(output.map((row) => [keyOf(row), row])).values()];
}

function tooMuch(lookBack: LookBack, readMs: number | undefined): string {
  const read = readMs === undefined ? 'not even the last 5 minutes' : `only the last ${duration(readMs)}`;
  return `The last ${LABELS[lookBack]} contain too much for one check: ${read} could be read completely. Choose a shorter Look Back if there is one.`;
}

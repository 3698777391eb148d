import { INPUTS, omitUndefined } from '@qr-service/core/connector';
import {
  isApiError,
  isTransportError,
  TransportError,
  type QrServiceClient,
  type ScanRow,
} from '@qr-service/core';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError, withZapierErrors } from '../errors.ts';
import { readScannedCode } from '../hydrators/scannedCode.ts';
import { inputField } from '../inputs/inputField.ts';
import { timeInput, wholeNumberInput } from '../inputs/readInputs.ts';
import {
  codeIdsOf,
  newestScans,
  SCAN_OUTPUT,
  scanOutputRows,
  withCodes,
  type ScannedCode,
  type ScanOutput,
} from '../resources/scan.ts';
import { readScanFilter, SCAN_FILTER_FIELD, scansOf } from '../resources/scanFilter.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Maximum number of scans: the codes of all of them are read too. */
const MAX_SCANS = 50;
/** Codes to read at a time. */
const CONCURRENCY = 5;
/** How far into a run it reads scans, in milliseconds. What is left of Zapier's 30 s is for their codes. */
const READ_MS = 15_000;
/** The narrowest window to read, in milliseconds, and by how much the next one is wider. */
const NARROWEST = 15 * MINUTE;
const GROWTH = 4;
/** Pages in which few scans may come: the last page of a feed is empty. */
const FEW_PAGES = 2;

const CODE_FIELD: PlainInputField = {
  ...SCAN_FILTER_FIELD,
  search: 'find_qr_code.id',
  helpText:
    'Only scans of this code. Choose it from the list, or enter its ID or short link. For a name, use Find QR Code first. Leave empty for any code.',
};
const SINCE_FIELD = inputField(INPUTS.since, {
  type: 'datetime',
  more: 'Leave empty for the last 24 hours.',
});
const LIMIT_FIELD: PlainInputField = {
  key: 'limit',
  label: 'Limit',
  type: 'integer',
  required: false,
  default: '10',
  helpText: `How many scans to return at most, from 1 to ${MAX_SCANS}. The most recent ones are returned.`,
};

/** The most recent scans, newest first, with their codes: agents and Zapier's MCP server can't load them later. */
async function perform(z: ZObject, bundle: Bundle): Promise<ScanOutput[]> {
  const endsAt = Date.now() + READ_MS;
  const limit =
    wholeNumberInput(bundle, LIMIT_FIELD, { min: 1, max: MAX_SCANS }) ?? Number(LIMIT_FIELD.default);
  const since = Date.parse(timeInput(bundle, SINCE_FIELD) ?? new Date(Date.now() - DAY).toISOString());
  const client = createClient(z, bundle);
  const code = await readScanFilter(bundle, client, true);
  const newest = (scans: readonly ScanRow[]) =>
    scansOf(newestScans(scanOutputRows(scans)), code).slice(0, limit);
  const run = { since, limit, endsAt, newest, requests: 0, advice: 'Change Since to a more recent time.' };
  try {
    const rows = await readNewest(client.scans, run);
    run.advice = 'Choose a lower Limit.';
    return withCodes(rows, await readCodes(z, client, codeIdsOf(rows), run));
  } catch (error) {
    // Zapier would run the step again and again, although there is just as much to read then.
    if (!isTooMuch(error, run.requests, client)) throw error;
    const text = `There are too many scans to read them in time. ${run.advice}`;
    throw plainError(z, text, 'too_many_scans');
  }
}

/** Share of the rate limit that a run may use up alone: concurrent requests stop before all of it is. */
const OWN_SHARE = 0.8;

/** Whether a run failed for what it read itself, so that it would fail again. */
function isTooMuch(error: unknown, requests: number, { rateLimit }: QrServiceClient): boolean {
  const isAlone = rateLimit !== undefined && requests >= rateLimit.limit * OWN_SHARE;
  const isUsedUp = isApiError(error) && error.status === 429 && isAlone;
  const isLate = isTransportError(error) && error.kind === 'deadline';
  return requests > 0 && (isUsedUp || isLate);
}

/** What a run looks for, and how far it is. */
interface Run {
  since: number;
  limit: number;
  endsAt: number;
  newest: (scans: readonly ScanRow[]) => ScanOutput[];
  /** Number of its requests for scans and codes. */
  requests: number;
  /** What to do if the rest is too much. */
  advice: string;
}

/** Reads codes, by their IDs. If one fails, so does the step. */
async function readCodes(
  z: ZObject,
  client: QrServiceClient,
  ids: readonly string[],
  run: Run,
): Promise<Map<string, ScannedCode>> {
  const codes = new Map<string, ScannedCode>();
  const queue = ids.values();
  const stop = new AbortController();
  const { signal } = stop;
  const read = async () => {
    // All of them take from the same queue.
    for (const id of queue) {
      run.requests += 1;
      codes.set(id, await readScannedCode(z, client, id, { signal }));
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, read));
  } finally {
    stop.abort();
  }
  return codes;
}

/**
 * Reads the newest scans. As the API promises no order and can't end a list at a time, only a window that was read to
 * its end is certain to contain them. So unless there are few since `since`, it reads wider and wider windows until one
 * has enough.
 * @throws TransportError `deadline` if no window with enough scans could be read in time: fewer would look like all
 */
async function readNewest(scans: QrServiceClient['scans'], run: Run): Promise<ScanOutput[]> {
  const { since, limit, newest } = run;
  const query = { since: new Date(since).toISOString() };
  const few: ScanRow[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < FEW_PAGES && few.length < limit; pages++) {
    const page = await scans.listPage(omitUndefined({ ...query, cursor }));
    run.requests += 1;
    few.push(...page.rows);
    cursor = page.nextCursor;
    if (cursor === undefined) return newest(few);
  }
  const now = Date.now();
  for (let width = NARROWEST; ; width *= GROWTH) {
    const start = Math.max(since, now - width);
    const rows = newest(await readSince(scans, new Date(start).toISOString(), run));
    if (rows.length >= limit || start === since) return rows;
    run.advice = `Change Since to ${new Date(start).toISOString()} or later, or lower the Limit.`;
  }
}

/** All scans since a time. */
async function readSince(scans: QrServiceClient['scans'], since: string, run: Run): Promise<ScanRow[]> {
  const rows: ScanRow[] = [];
  for await (const page of scans.list({ since }).pages()) {
    run.requests += 1;
    rows.push(...page.rows);
    if (page.nextCursor !== undefined && Date.now() >= run.endsAt)
      throw new TransportError('There are too many scans.', { kind: 'deadline' });
  }
  return rows;
}

export const findScans: Search = {
  key: 'find_scans',
  noun: 'Scan',
  display: {
    label: 'Find Scans',
    description:
      'Finds the most recent scans of one QR code or of the whole workspace, since a time that you choose.',
  },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [CODE_FIELD, SINCE_FIELD, LIMIT_FIELD],
    ...SCAN_OUTPUT,
  },
};

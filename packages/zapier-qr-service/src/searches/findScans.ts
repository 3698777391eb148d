import { INPUTS } from '@qr-service/core/connector';
import type { QrServiceClient, ScanRow } from '@qr-service/core';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError, rerunDelay } from '../errors/zapierErrors.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
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

const CODE_FIELD: PlainInputField = {
  ...SCAN_FILTER_FIELD,
  search: 'find_qr_code.id',
  helpText:
    'Only scans of this code: choose it from the list, or enter its ID or short link. If you have only a name, use Find QR Code first. Leave empty for any code.',
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
  const rows = await readNewest(z, client.scans, { since, limit, endsAt, newest });
  return withCodes(rows, await readCodes(z, client, codeIdsOf(rows)));
}

/** Reads codes, by their IDs. If one fails, so does the step. */
async function readCodes(
  z: ZObject,
  client: QrServiceClient,
  ids: readonly string[],
): Promise<Map<string, ScannedCode>> {
  const codes = new Map<string, ScannedCode>();
  const queue = ids.values();
  const stop = new AbortController();
  const { signal } = stop;
  const read = async () => {
    // All of them take from the same queue.
    for (const id of queue) codes.set(id, await readScannedCode(z, client, id, { signal }));
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
 * its end is certain to contain them. So it reads wider and wider windows until one has enough, unless everything since
 * `since` fits on one page.
 * @throws Zapier's Error if no window with enough scans could be read in time: fewer would look like all
 */
async function readNewest(
  z: ZObject,
  scans: QrServiceClient['scans'],
  search: { since: number; limit: number; endsAt: number; newest: (scans: ScanRow[]) => ScanOutput[] },
): Promise<ScanOutput[]> {
  const { since, limit, endsAt, newest } = search;
  const first = await scans.listPage({ since: new Date(since).toISOString() });
  if (first.nextCursor === undefined) return newest(first.rows);
  const now = Date.now();
  for (let width = NARROWEST; ; width *= GROWTH) {
    const start = Math.max(since, now - width);
    const read = await readSince(scans, new Date(start).toISOString(), endsAt);
    if (read === undefined) throw tooMany(z, width > NARROWEST ? now - width / GROWTH : undefined);
    const rows = newest(read);
    if (rows.length >= limit || start === since) return rows;
  }
}

/** All scans since a time; undefined if they can't be read in time. */
async function readSince(
  scans: QrServiceClient['scans'],
  since: string,
  endsAt: number,
): Promise<ScanRow[] | undefined> {
  const rows: ScanRow[] = [];
  try {
    for await (const page of scans.list({ since }).pages()) {
      rows.push(...page.rows);
      if (page.nextCursor !== undefined && Date.now() >= endsAt) return undefined;
    }
    return rows;
  } catch (error) {
    // Zapier would run the step again and again, although there is just as much to read then.
    if (rows.length > 0 && rerunDelay(error) !== undefined) return undefined;
    throw error;
  }
}

function tooMany(z: ZObject, readable: number | undefined): Error {
  const advice =
    readable === undefined
      ? 'Export them from the app instead.'
      : `Change Since to ${new Date(readable).toISOString()} or later, or lower the Limit.`;
  return plainError(z, `There are too many scans to read them in time. ${advice}`, 'too_many_scans');
}

export const findScans: Search = {
  key: 'find_scans',
  noun: 'Scan',
  display: {
    label: 'Find Scans',
    description: 'Finds the most recent scans of a QR code or of the whole workspace since a time.',
  },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [CODE_FIELD, SINCE_FIELD, LIMIT_FIELD],
    ...SCAN_OUTPUT,
  },
};

import type { ScanRow } from '@qr-service/core';
import {
  INPUTS,
  isOwnError,
  type PlatformClient,
  ScanCounter,
  scannedCodeId,
  toTime,
  toWholeNumber,
} from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError, withZapierErrors } from '../errors/zapierErrors.ts';
import { inputField } from '../inputs/fields.ts';
import { readInput, textInput } from '../inputs/readInputs.ts';
import { checkCode, QR_CODE_ID_FIELD, requireCode } from '../resources/qrCodeId.ts';
import { codeIdsOf, SCAN_OUTPUT, scanOutputRows, scansOf, withCodes } from '../resources/scan.ts';
import { readCodes } from '../resources/scannedCode.ts';

const DAY = 24 * 3_600_000;
/** Maximum number of scans: the codes of all of them are read too. */
const MAX_SCANS = 25;
/** How far into a run it reads scans, in milliseconds. What is left of Zapier's 30 s is for their codes. */
const READ_MS = 15_000;

/** The filter for one code. */
export const CODE_FIELD: PlainInputField = {
  ...QR_CODE_ID_FIELD,
  required: false,
  helpText: 'Choose a code, or enter its ID or short link. Leave empty for any code.',
};
const SINCE_FIELD = inputField(INPUTS.since, {
  type: 'datetime',
  helpText: 'Only scans since this time. Leave empty for the last 24 hours.',
});
const LIMIT_FIELD: PlainInputField = {
  key: 'limit',
  label: 'Limit',
  type: 'integer',
  required: false,
  default: '10',
  helpText: `Number of scans to return, from 1 to ${MAX_SCANS}. Scans Found counts all; scans alike in every field count once.`,
};

/** The most recent scans, newest first, with their codes: agents and Zapier's MCP server can't load them later. */
async function perform(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>[]> {
  const limit = readInput(bundle, LIMIT_FIELD, (value, about) =>
    toWholeNumber(value, { ...about, min: 1, max: MAX_SCANS }),
  );
  const since = readInput(bundle, SINCE_FIELD, toTime) ?? new Date(Date.now() - DAY).toISOString();
  const client = createClient(z, bundle);
  const id = await scannedId(bundle, client);
  const found = scansOf(scanOutputRows(await readScans(z, client, new ScanCounter({ since }))), id);
  const scansWithoutQrCode = found.filter((scan) => scannedCodeId(scan) === '').length;
  // With a filter, one without a code's ID may be of another code.
  const scansFound = found.length - (id === '' ? 0 : scansWithoutQrCode);
  const rows = found.slice(0, limit ?? Number(LIMIT_FIELD.default));
  const codes = await readCodes(z, client, codeIdsOf(rows));
  const named = withCodes(rows, (qrId) => codes.get(qrId));
  return named.map((row) => ({ scansFound, scansWithoutQrCode, ...row }));
}

/** The ID of the code whose scans are searched, once it is known to exist; empty for any code. */
export async function scannedId(bundle: Bundle, client: PlatformClient): Promise<string> {
  const id = textInput(bundle, CODE_FIELD) === '' ? '' : (await requireCode(bundle, client)).id;
  await checkCode(client, id);
  return id;
}

/**
 * Reads and counts all scans, and returns those that match: as the API promises no order, the newest may come last.
 * @throws Zapier's Error if they are too many, as part of them would be a wrong number
 */
export async function readScans(z: ZObject, { scans }: PlatformClient, counter: ScanCounter) {
  const endsAt = Date.now() + READ_MS;
  const advice = 'Choose a shorter period: change Since to a more recent time.';
  const tooMany = plainError(z, `There are too many scans to read in time. ${advice}`, 'too_many_scans');
  const rows: ScanRow[] = [];
  try {
    for await (const page of scans.list(counter.query).pages()) {
      rows.push(...page.rows.flatMap((row) => counter.add(row) ?? []));
      if (page.nextCursor === undefined || counter.isOver) break;
      if (Date.now() >= endsAt) throw tooMany;
    }
    return rows;
  } catch (error) {
    // Zapier would run the step again and again, although there is just as much to read then.
    throw counter.read > 0 && isOwnError(error, 429) ? tooMany : error;
  }
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
    outputFields: [
      { key: 'scansFound', label: 'Scans Found', type: 'integer', sample: 42 },
      { key: 'scansWithoutQrCode', label: 'Scans Without QR Code', type: 'integer', sample: 0 },
      ...SCAN_OUTPUT.outputFields,
    ],
    sample: { scansFound: 42, scansWithoutQrCode: 0, ...SCAN_OUTPUT.sample },
  },
};

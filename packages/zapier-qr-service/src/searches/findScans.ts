import type { ScanRow } from '@qr-service/core';
import { INPUTS, isOwnError, type PlatformClient, toTime, toWholeNumber } from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError, withZapierErrors } from '../errors/zapierErrors.ts';
import { readScannedCode } from '../hydrators/scannedCode.ts';
import { inputField } from '../inputs/fields.ts';
import { readInput, textInput } from '../inputs/readInputs.ts';
import { checkCode, QR_CODE_ID_FIELD, requireCode } from '../resources/qrCodeId.ts';
import {
  codeIdsOf,
  SCAN_OUTPUT,
  scanOutputRows,
  scansOf,
  withCodes,
  type ScanOutput,
} from '../resources/scan.ts';

const DAY = 24 * 3_600_000;
/** Maximum number of scans: the codes of all of them are read too. */
const MAX_SCANS = 25;
/** How far into a run it reads scans, in milliseconds. What is left of Zapier's 30 s is for their codes. */
const READ_MS = 15_000;

const CODE_FIELD: PlainInputField = {
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
  helpText: `Number of scans to return, from 1 to ${MAX_SCANS}.`,
};

/** The most recent scans, newest first, with their codes: agents and Zapier's MCP server can't load them later. */
async function perform(z: ZObject, bundle: Bundle): Promise<ScanOutput[]> {
  const limit = readInput(bundle, LIMIT_FIELD, (value, about) =>
    toWholeNumber(value, { ...about, min: 1, max: MAX_SCANS }),
  );
  const since = readInput(bundle, SINCE_FIELD, toTime) ?? new Date(Date.now() - DAY).toISOString();
  const client = createClient(z, bundle);
  const id = textInput(bundle, CODE_FIELD) === '' ? '' : (await requireCode(bundle, client)).id;
  await checkCode(client, id);
  const scans = scanOutputRows(await readScans(z, client, since));
  const rows = scansOf(scans, id).slice(0, limit ?? Number(LIMIT_FIELD.default));
  const codes = codeIdsOf(rows).map(async (qrId) => [qrId, await readScannedCode(z, client, qrId)] as const);
  return withCodes(rows, new Map(await Promise.all(codes)));
}

/**
 * All scans since a time: as the API promises no order and can't end a list at a time, the newest may come last.
 * @throws Zapier's Error if they are too many
 */
async function readScans(z: ZObject, { scans }: PlatformClient, since: string): Promise<ScanRow[]> {
  const endsAt = Date.now() + READ_MS;
  const rows: ScanRow[] = [];
  try {
    for await (const page of scans.list({ since }).pages()) {
      for (const row of page.rows) rows.push(row);
      if (page.nextCursor !== undefined && Date.now() >= endsAt) throw tooMany(z);
    }
    return rows;
  } catch (error) {
    // Zapier would run the step again and again, although there is just as much to read then.
    throw rows.length > 0 && isOwnError(error, 429) ? tooMany(z) : error;
  }
}

function tooMany(z: ZObject): Error {
  const text = 'There are too many scans to read in time. Change Since to a more recent time.';
  return plainError(z, text, 'too_many_scans');
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

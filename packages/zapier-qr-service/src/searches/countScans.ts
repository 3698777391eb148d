import {
  checkPeriod,
  INPUTS,
  isOwnError,
  SAMPLE_QR_CODE as CODE,
  ScanCounter,
  toTime,
} from '@qr-service/core/connector';
import type { Bundle, Search, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { inputField } from '../inputs/fields.ts';
import { readInput } from '../inputs/readInputs.ts';
import { scannedCodeOf, type ScannedCode, UNKNOWN_CODE } from '../resources/scan.ts';
import { readCodes } from '../resources/scannedCode.ts';
import { CODE_FIELD, readScans, scannedId } from './findScans.ts';

const SINCE_FIELD = inputField(INPUTS.since, {
  type: 'datetime',
  helpText: 'Leave empty to count all scans. Scans that are alike in every field count once.',
});
const UNTIL_FIELD = inputField(INPUTS.until, {
  type: 'datetime',
  helpText: "Only scans before this time. Days start in your Zap's time zone, or in UTC if it has none.",
});

/** Counts all scans of a period, or fails: a count of part of them would be too small. */
async function perform(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>[]> {
  const since = readInput(bundle, SINCE_FIELD, toTime);
  const until = readInput(bundle, UNTIL_FIELD, toTime);
  checkPeriod({ since, until }, { since: INPUTS.since.label, until: INPUTS.until.label });
  const client = createClient(z, bundle);
  const qrCodeId = await scannedId(bundle, client);
  const timeZone = bundle.meta.timezone || undefined;
  const counter = new ScanCounter({ qrCodeId, since, until, timeZone });
  await readScans(z, client, counter);
  const counts = new Map(counter.byCode());
  if (qrCodeId !== '' && counts.size === 0) counts.set(qrCodeId, 0);
  const ids = [...counts.keys()].filter((id) => id !== '');
  const codes = await readCodes(z, client, ids).catch((error: unknown) => {
    // A rerun would read all scans again, and meet the same rate limit.
    if (!isOwnError(error, 429)) throw error;
    return new Map<string, ScannedCode>();
  });
  const count = {
    scans: counter.scans,
    scansWithoutQrCode: counter.withoutCode,
    since: since ?? null,
    until: until ?? null,
    days: counter.byDay().map(([day, scans]) => ({ day: day || null, scans })),
    // An email lists the names and the numbers apart, so each number needs a name: the ID of a code that can't be read.
    codes: [...counts].map(([id, scans]) => {
      const { name, publicUrl } = codes.get(id) ?? UNKNOWN_CODE;
      return { name: name ?? (id || 'Without QR Code'), publicUrl, scans, id: id || null };
    }),
    id: [qrCodeId || 'all', since, until].filter(Boolean).join(' '),
  };
  return [count];
}

const PERIOD = { since: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' };

export const countScans: Search = {
  key: 'count_scans',
  noun: 'Scan Count',
  display: {
    label: 'Get Scan Counts',
    description: 'Finds how often codes were scanned in a period, in total, per code and per day.',
  },
  operation: {
    perform: withZapierErrors(perform),
    inputFields: [CODE_FIELD, SINCE_FIELD, UNTIL_FIELD],
    // In a key, Zapier writes `[]` for a field of line items.
    outputFields: [
      { key: 'scans', label: 'Scans', type: 'integer', sample: 42 },
      { key: 'scansWithoutQrCode', label: 'Scans Without QR Code', type: 'integer', sample: 0 },
      { key: 'since', label: 'Since', type: 'datetime', sample: PERIOD.since },
      { key: 'until', label: 'Until', type: 'datetime', sample: PERIOD.until },
      { key: 'days[]day', label: 'Days Day', type: 'string', sample: '2026-01-15' },
      { key: 'days[]scans', label: 'Days Scans', type: 'integer', sample: 42 },
      { key: 'codes[]name', label: 'QR Codes Name', type: 'string', sample: CODE.name },
      { key: 'codes[]publicUrl', label: 'QR Codes Short Link', type: 'string', sample: CODE.publicUrl },
      { key: 'codes[]scans', label: 'QR Codes Scans', type: 'integer', sample: 42 },
      { key: 'codes[]id', label: 'QR Codes ID', type: 'string', sample: CODE.id },
      { key: 'id', label: 'Count ID', type: 'string', sample: 'all' },
    ],
    sample: {
      scans: 42,
      scansWithoutQrCode: 0,
      ...PERIOD,
      days: [{ day: '2026-01-15', scans: 42 }],
      codes: [{ ...scannedCodeOf(CODE), scans: 42, id: CODE.id }],
      id: 'all',
    },
  },
};

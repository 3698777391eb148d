import { omitUndefined } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors.ts';
import { scannedCode } from '../hydrators/scannedCode.ts';
import { newestRows, SAMPLE_ROWS } from '../resources/newestRows.ts';
import { QR_CODE_ID_FIELD } from '../resources/qrCodeId.ts';
import {
  codeIdsOf,
  newestScans,
  SCAN_OUTPUT,
  scanOutputRows,
  withCodes,
  type ScanOutput,
} from '../resources/scan.ts';
import { readScanFilter, SCAN_FILTER_FIELD, scansOf } from '../resources/scanFilter.ts';
import { LOOK_BACK_FIELD, pollRows, readLookBack } from './pollRows.ts';

/** Number of recent scans in which the editor's test looks for those of a code. */
const RECENT_SCANS = 100;

/** Recent scans, newest first. The history can only be read forward. */
async function perform(z: ZObject, bundle: Bundle): Promise<ScanOutput[]> {
  const { isLoadingSample, isPopulatingDedupe } = bundle.meta;
  const lookBack = readLookBack(bundle);
  const client = createClient(z, bundle);
  const code = await readScanFilter(bundle, client, isLoadingSample || isPopulatingDedupe);
  const rows = isLoadingSample ? await recentScans(client.scans, code) : await polledScans();
  // Zapier reads the code only of a row that starts a Zap.
  const later = (id: string) => z.dehydrate(scannedCode, { [QR_CODE_ID_FIELD.key]: id });
  return withCodes(rows, new Map(codeIdsOf(rows).map((id) => [id, later(id)])));

  async function polledScans() {
    const scans = await pollRows(z, bundle, client, lookBack, {
      listSince: (since) => client.scans.list({ since }),
      toOutput: scanOutputRows,
      keyOf: (scan) => scan.id,
    });
    return scansOf(newestScans(scans), code);
  }
}

/** Scans for the editor's test: of a code that wasn't scanned recently, an example. */
async function recentScans(
  scans: QrServiceClient['scans'],
  code?: Pick<QrCode, 'id'>,
): Promise<ScanOutput[]> {
  const readPage = async (since?: string) => {
    const page = await scans.listPage(omitUndefined({ since }));
    return { ...page, rows: scanOutputRows(page.rows) };
  };
  const count = code === undefined ? SAMPLE_ROWS : RECENT_SCANS;
  const found = scansOf(await newestRows(readPage, (scan) => scan.scannedAt, count), code);
  if (found.length > 0 || code === undefined) return found.slice(0, SAMPLE_ROWS);
  return [{ ...SCAN_OUTPUT.sample, qrId: code.id }];
}

export const newScan: Trigger = {
  key: 'new_scan',
  noun: 'Scan',
  display: {
    label: 'New Scan',
    description:
      "Triggers when a QR code is scanned. Your workspace's privacy settings determine which details are included.",
  },
  operation: {
    type: 'polling',
    perform: withZapierErrors(perform),
    inputFields: [SCAN_FILTER_FIELD, LOOK_BACK_FIELD],
    ...SCAN_OUTPUT,
  },
};

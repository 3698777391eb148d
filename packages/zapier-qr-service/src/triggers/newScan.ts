import type { ScanRow } from '@qr-service/core';
import { omitUndefined, type PlatformClient, recentRows, SAMPLE_ROWS } from '@qr-service/core/connector';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { checkCode, QR_CODE_ID_FIELD } from '../resources/qrCodeId.ts';
import { SCAN_OUTPUT, scanOutputRows, scansOf, withCodes, type ScanOutput } from '../resources/scan.ts';
import { scannedCode } from '../resources/scannedCode.ts';
import { CODE_FILTER, filteredId } from './filters.ts';
import { pollRows } from './pollRows.ts';

/** Recent scans, newest first. The history can only be read forward. */
async function perform(z: ZObject, bundle: Bundle): Promise<ScanOutput[]> {
  const { isLoadingSample, isPopulatingDedupe } = bundle.meta;
  const id = filteredId(bundle);
  const client = createClient(z, bundle);
  if (isLoadingSample || isPopulatingDedupe) await checkCode(client, id);
  const rows = isLoadingSample
    ? await recentScans(client, id)
    : await pollRows(z, bundle, client, {
        listSince: (since) => client.scans.list({ since }),
        toOutput: (scans: ScanRow[]) => scansOf(scanOutputRows(scans), id),
        keyOf: (scan) => scan.id,
      });
  // Zapier reads the code only of a row that starts a Zap.
  return withCodes(rows, (qrId) => z.dehydrate(scannedCode, { [QR_CODE_ID_FIELD.key]: qrId }));
}

/** Scans for the editor's test: of a code that wasn't scanned recently, an example. */
async function recentScans({ scans }: PlatformClient, id: string): Promise<ScanOutput[]> {
  const readPage = async (since?: string) => {
    const page = await scans.listPage(omitUndefined({ since }));
    return { ...page, rows: scanOutputRows(page.rows) };
  };
  const { rows } = await recentRows(
    (since) => [readPage(since)],
    (scan) => scan.scannedAt,
  );
  const found = scansOf(rows, id).slice(0, SAMPLE_ROWS);
  return found.length > 0 || id === '' ? found : [{ ...SCAN_OUTPUT.sample, qrId: id }];
}

export const newScan: Trigger = {
  key: 'new_scan',
  noun: 'Scan',
  display: { label: 'New Scan', description: 'Triggers when a QR code in your workspace is scanned.' },
  operation: {
    type: 'polling',
    perform: withZapierErrors(perform),
    inputFields: [CODE_FILTER],
    ...SCAN_OUTPUT,
  },
};

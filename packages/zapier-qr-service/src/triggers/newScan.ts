import { newestFirst, omitUndefined, type ScanOutputRow } from '@qr-service/core/connector';
import type { QrServiceClient } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { SCAN_OUTPUT, scanOutputRows } from '../resources/scan.ts';
import { newestRows, SAMPLE_ROWS } from '../resources/newestRows.ts';
import { LOOK_BACK_FIELD, pollRows, readLookBack } from './pollRows.ts';

/** Recent scans, newest first. The history can only be read forward. */
async function perform(z: ZObject, bundle: Bundle): Promise<ScanOutputRow[]> {
  const lookBack = readLookBack(bundle);
  const client = createClient(z, bundle);
  if (bundle.meta.isLoadingSample) return recentScans(client.scans);
  const scans = await pollRows(z, bundle, client, lookBack, {
    listSince: (since) => client.scans.list({ since }),
    toOutput: scanOutputRows,
    keyOf: (scan) => scan.id,
  });
  return newestFirst(scans.reverse(), (scan) => scan.scannedAt);
}

function recentScans(scans: QrServiceClient['scans']): Promise<ScanOutputRow[]> {
  const readPage = async (since?: string) => {
    const page = await scans.listPage(omitUndefined({ since }));
    return { ...page, rows: scanOutputRows(page.rows) };
  };
  return newestRows(readPage, (scan) => scan.scannedAt, SAMPLE_ROWS);
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
    inputFields: [LOOK_BACK_FIELD],
    ...SCAN_OUTPUT,
  },
};

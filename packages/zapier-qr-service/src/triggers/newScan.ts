import type { ScanOutputRow } from '@qr-service/core/connector';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError } from '../errors/zapierErrors.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { SCAN_OUTPUT, scanOutputRows } from '../resources/scan.ts';
import { recentRows } from './recentRows.ts';

/** Recent scans, newest first. The history can only be read forward. */
async function perform(z: ZObject, bundle: Bundle): Promise<ScanOutputRow[]> {
  const { scans } = createClient(z, bundle);
  const rows = await recentRows((since) => scans.list({ since }));
  if (rows === undefined)
    throw plainError(
      z,
      'There were too many scans in the last half hour to read them all. Export them from the app instead.',
      'too_many_scans',
    );
  return newestFirst(scanOutputRows(rows).reverse(), (scan) => scan.scannedAt);
}

export const newScan: Trigger = {
  key: 'new_scan',
  noun: 'Scan',
  display: {
    label: 'New Scan',
    description:
      "Triggers when a QR code is scanned. Your workspace's privacy settings determine which details are included.",
  },
  operation: { type: 'polling', perform: withZapierErrors(perform), ...SCAN_OUTPUT },
};

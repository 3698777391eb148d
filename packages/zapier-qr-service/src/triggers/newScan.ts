import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { plainError } from '../errors/zapierErrors.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { guarded } from '../errors/withZapierErrors.ts';
import { SCAN_OUTPUT, scanRows, type ScanOutputRow } from '../resources/scan.ts';
import { recentRows } from './recentRows.ts';

/** Scans of late, newest first. History is walked forward, the only route for scans. */
async function perform(z: ZObject, bundle: Bundle): Promise<ScanOutputRow[]> {
  const { scans } = createClient(z, bundle);
  const rows = await recentRows((since) => scans.list({ since }));
  if (rows === undefined)
    throw plainError(
      z,
      'Too many scans came in the last half hour to read them all. Export them from the app instead.',
      'too_many_scans',
    );
  return newestFirst(scanRows(rows).reverse(), (scan) => scan.scannedAt);
}

export const newScan: Trigger = {
  key: 'new_scan',
  noun: 'Scan',
  display: {
    label: 'New Scan',
    description: "Triggers when a QR code is scanned, with what the workspace's privacy settings permit.",
  },
  operation: { type: 'polling', perform: guarded(perform), ...SCAN_OUTPUT },
};

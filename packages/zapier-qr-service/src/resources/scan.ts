import {
  humanized,
  SAMPLE_SCAN,
  SCAN_FIELDS,
  scanRow,
  scanRows,
  type ScanOutputRow,
} from '@qr-service/core/connector';
import type { ScanRow } from '@qr-service/core';
import type { Bundle, PlainOutputField, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { output, withAllFields } from './outputFields.ts';

/** Scans as the trigger outputs them, in the same order. Two identical ones remain two. */
export function scanOutputRows(scans: readonly ScanRow[]): ScanOutputRow[] {
  return scanRows(scans).map((scan) => withAllFields(SCAN_FIELDS, scanRow(scan)));
}

/** Time limit for reading the workspace's dimensions, in milliseconds, as the editor waits for them. */
const DIMENSIONS_MS = 8_000;
/** Maximum number of dimensions that get a label. */
const MAX_DIMENSIONS = 100;
/** In the key of a field, Zapier reads `__` and `.` as a path. */
const PLAIN_KEY = /^(?!.*__)[\p{L}\d][\p{L}\d _-]{0,63}$/u;

/**
 * Reads the dimensions that the workspace's privacy settings permit, as output fields. Never fails, as that would
 * block the editor.
 */
async function dimensionFields(z: ZObject, bundle: Bundle): Promise<PlainOutputField[]> {
  try {
    const since = new Date().toISOString();
    const { scans } = createClient(z, bundle);
    const { allowedDimensions } = await scans.listPage({ since }, { timeoutMs: DIMENSIONS_MS });
    const taken: string[] = SCAN_FIELDS.map(({ key }) => key);
    return [...new Set(allowedDimensions)]
      .filter((key) => PLAIN_KEY.test(key) && humanized(key) !== '' && !taken.includes(key))
      .slice(0, MAX_DIMENSIONS)
      .map((key) => ({ key, label: humanized(key), type: 'string' }));
  } catch {
    z.console.log("The workspace's scan dimensions couldn't be read, so their fields have no labels.");
    return [];
  }
}

const { sample, outputFields } = output(SCAN_FIELDS, SAMPLE_SCAN, ['id']);

/** Sample and output fields of the scan trigger: the time, the dimensions, the IDs. */
export const SCAN_OUTPUT = {
  sample,
  outputFields: [...outputFields.slice(0, 1), dimensionFields, ...outputFields.slice(1)],
};

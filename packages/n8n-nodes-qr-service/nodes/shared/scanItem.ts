import type { IDataObject } from 'n8n-workflow';
import { scanRow, type IdentifiedScan } from '../../core.ts';

/** A scan as the nodes output it. `scanId` is the former name of `id`, kept for workflows that use it. */
export function scanItem(identified: IdentifiedScan): IDataObject {
  const { id, scan } = identified;
  const own = scan['scanId'];
  const isMissing = own === undefined || own === null || own === '';
  return { ...scanRow(identified), ...(isMissing ? { scanId: id } : {}) };
}

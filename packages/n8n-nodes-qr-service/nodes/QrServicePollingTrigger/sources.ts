import {
  scanId,
  scanTime,
  type Page,
  type QrCode,
  type QrServiceClient,
  type ScanRow,
  type Walk,
} from '../../core.ts';
import type { Sighting } from './pollChanges.ts';

/** Something that can be watched. */
export interface Source<Row extends object = object> {
  /** All rows since a time, page by page. */
  walk(client: QrServiceClient, since: string | undefined): Walk<Row, Page<Row>>;
  sight(row: Row): Sighting<Row>;
}

const changedCodes: Source<QrCode> = {
  walk: (client, updatedSince) => client.qr.list(updatedSince === undefined ? {} : { updatedSince }),
  sight: (row) => ({ row, key: `${row.id}@${row.updatedAt}`, time: isoTime(row.updatedAt) }),
};

const scans: Source<ScanRow> = {
  walk: (client, since) => client.scans.list(since === undefined ? {} : { since }),
  sight: (row) => {
    const id = scanId(row);
    return { row: { scanId: id, ...row }, key: id, time: scanTime(row) };
  },
};

/** The sources by the value of the node's `watch` parameter. */
export const SOURCES = { changedCodes, scans } as const;

/** Value of the node's `watch` parameter. */
export type Watch = keyof typeof SOURCES;

function isoTime(text: string): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

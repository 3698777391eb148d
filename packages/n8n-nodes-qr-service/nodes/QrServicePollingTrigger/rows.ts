import {
  readTime,
  scanRows,
  type Page,
  type QrCode,
  type QrServiceClient,
  type ScanRow,
  type Walk,
} from '../../core.ts';
import type { Place, ReadPages, Sighting } from './sightings.ts';

/** Reads what can be watched, by the value of the node's `watch` parameter, until the signal ends it. */
export const SOURCES = {
  changedCodes: (client, signal) =>
    sightings(
      ({ since, cursor }) => client.qr.list(given({ updatedSince: since, cursor }), { signal }),
      (rows) => rows.map(sightCode),
    ),
  scans: (client, signal) =>
    sightings(({ since, cursor }) => client.scans.list(given({ since, cursor }), { signal }), sightScans),
} as const satisfies Record<string, (client: QrServiceClient, signal: AbortSignal) => ReadPages>;

/** Value of the node's `watch` parameter. */
export type Watch = keyof typeof SOURCES;

function sightings<Row>(
  walk: (place: Place) => Walk<Row, Page<Row>>,
  sight: (rows: readonly Row[], counts: Map<string, number>) => Sighting[],
): ReadPages {
  return async function* (place) {
    for await (const page of walk(place).pages())
      yield { ...page, readAt: Date.now(), rows: sight(page.rows, place.counts) };
  };
}

function sightCode(row: QrCode): Sighting {
  return { row, id: row.id, time: readTime(row.updatedAt) };
}

function sightScans(rows: readonly ScanRow[], counts: Map<string, number>): Sighting[] {
  return scanRows(rows, counts).map(({ id, scannedAt, scan }) => {
    const own = scan['scanId'];
    return {
      row: { scanId: id, ...scan, ...(own === null || own === '' ? { scanId: id } : {}) },
      id,
      time: readTime(scannedAt),
      alike: id.replace(/^(scan-[0-9a-f]{32})-\d+$/, '$1'),
    };
  });
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without what is undefined. */
function given<T extends object>(query: T): Given<T> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Given<T>;
}

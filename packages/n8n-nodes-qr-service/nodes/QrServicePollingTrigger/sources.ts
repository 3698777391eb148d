import {
  scanId,
  scanTime,
  type Page,
  type QrCode,
  type QrServiceClient,
  type ScanRow,
  type Walk,
} from '../../core.ts';
import type { Place, ReadPages, Sighting } from './sightings.ts';

/** Reads what can be watched, by the value of the node's `watch` parameter. */
export const SOURCES = {
  changedCodes: (client) =>
    sightings(({ since, cursor }) => client.qr.list(given({ updatedSince: since, cursor })), sightCode),
  scans: (client) => sightings((place) => client.scans.list(given(place)), sightScan),
} as const satisfies Record<string, (client: QrServiceClient) => ReadPages>;

/** Value of the node's `watch` parameter. */
export type Watch = keyof typeof SOURCES;

function sightings<Row>(
  walk: (place: Place) => Walk<Row, Page<Row>>,
  sight: (row: Row) => Sighting,
): ReadPages {
  return async function* (place) {
    for await (const page of walk(place).pages()) yield { ...page, rows: page.rows.map(sight) };
  };
}

function sightCode(row: QrCode): Sighting {
  const time = Date.parse(row.updatedAt);
  return { row, id: row.id, version: row.updatedAt, time: Number.isNaN(time) ? undefined : time };
}

function sightScan(scan: ScanRow): Sighting {
  const id = scanId(scan);
  const version = scanTime(scan) ?? '';
  return {
    row: { scanId: id, ...scan },
    id,
    version,
    time: version === '' ? undefined : Date.parse(version),
  };
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without what is undefined. */
function given<T extends object>(query: T): Given<T> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Given<T>;
}

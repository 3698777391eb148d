import {
  identifyScans,
  inOutputOrder,
  omitUndefined,
  readTime,
  type Page,
  type Paginated,
  type PlatformClient,
} from '../../deps.ts';

/** A row of a list. */
export interface PolledRow {
  row: Record<string, unknown>;
  /** Identifies the record across its versions. */
  id: string;
  /** When the record last changed, in milliseconds since the epoch; undefined if unknown. */
  time: number | undefined;
}

/** A page of a list. Without a `Date` header, n8n's clock stands in for the service's. */
export type PolledPage = Page<PolledRow> & { servedAt: number };

/** Where to start reading. */
export interface Position {
  /** Only rows since this time. */
  since?: number | undefined;
  /** Pagination cursor; undefined for the start of the list. */
  cursor?: string | undefined;
}

/** Reads a list page by page. */
export type ReadPages = (from: Position) => AsyncIterable<PolledPage>;

/** The lists that can be watched, by the value of the node's `watch` parameter. The signal ends their requests. */
export const LISTS = {
  changedCodes:
    ({ qr }, signal) =>
    ({ since, cursor }) => {
      const list = qr.list(omitUndefined({ updatedSince: iso(since), cursor }), { signal });
      return pagesOf(list, 'updatedAt', (rows) => rows.map(inOutputOrder));
    },
  scans:
    ({ scans }, signal) =>
    ({ since, cursor }) => {
      const list = scans.list(omitUndefined({ since: iso(since), cursor }), { signal });
      return pagesOf(list, 'scannedAt', (rows) => identifyScans(rows));
    },
} as const satisfies Record<string, (client: PlatformClient, signal: AbortSignal) => ReadPages>;

/** Value of the node's `watch` parameter. */
export type Watch = keyof typeof LISTS;

async function* pagesOf<Row>(
  list: Paginated<Row, Page<Row>>,
  timeKey: string,
  toOutput: (rows: Row[]) => (Record<string, unknown> & { id: string })[],
): AsyncIterable<PolledPage> {
  for await (const page of list.pages()) {
    const rows = toOutput(page.rows).map((row) => ({ row, id: row.id, time: readTime(row[timeKey]) }));
    yield { servedAt: Date.now(), ...page, rows };
  }
}

const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

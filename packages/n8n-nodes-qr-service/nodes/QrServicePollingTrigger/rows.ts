import {
  omitUndefined,
  readTime,
  scanRow,
  scanRows,
  type Page,
  type Paginated,
  type QrCode,
  type QrServiceClient,
  type ScanRow,
} from '../../core.ts';

/** A row of a list, in the form that polling uses. */
export interface PolledRow {
  row: Record<string, unknown>;
  /** Identifies the record across its versions. */
  id: string;
  /** When the record last changed, in milliseconds since the epoch; undefined if unknown. */
  time: number | undefined;
  /** The ID that identical rows share before they are numbered; undefined if the row has its own ID. */
  sharedId?: string;
}

/** A page, in the form that polling uses. */
export interface PolledPage extends Page<PolledRow> {
  /** When it was read, by n8n's clock, in milliseconds since the epoch. */
  readAt: number;
}

/** A position in a list. */
export interface ListPosition {
  /** Lowest time listed, ISO 8601 UTC; undefined for all rows. */
  since: string | undefined;
  /** The page to start with; undefined for the first. */
  cursor: string | undefined;
  /** How many identical rows there were up to here, by their shared ID. Reading on updates it. */
  counts: Map<string, number>;
}

/** The start of a list, or of its rows since a time. */
export const startOf = (since?: string): ListPosition => ({ since, cursor: undefined, counts: new Map() });

/** Reads a list page by page, starting at a position. */
export type ReadPages = (position: ListPosition) => AsyncIterable<PolledPage>;

/** Readers of what can be watched, by the value of the node's `watch` parameter. The signal ends their requests. */
export const SOURCES = {
  changedCodes: (client, signal) =>
    pagesOf(
      ({ since, cursor }) => client.qr.list(omitUndefined({ updatedSince: since, cursor }), { signal }),
      (rows) => rows.map(polledCode),
    ),
  scans: (client, signal) =>
    pagesOf(
      ({ since, cursor }) => client.scans.list(omitUndefined({ since, cursor }), { signal }),
      polledScans,
    ),
} as const satisfies Record<string, (client: QrServiceClient, signal: AbortSignal) => ReadPages>;

/** Value of the node's `watch` parameter. */
export type Watch = keyof typeof SOURCES;

function pagesOf<Row>(
  list: (position: ListPosition) => Paginated<Row, Page<Row>>,
  toPolledRows: (rows: readonly Row[], counts: Map<string, number>) => PolledRow[],
): ReadPages {
  return async function* (position) {
    for await (const page of list(position).pages())
      yield { ...page, readAt: Date.now(), rows: toPolledRows(page.rows, position.counts) };
  };
}

/** A code in the form that polling uses. */
export function polledCode(row: QrCode): PolledRow {
  return { row, id: row.id, time: readTime(row.updatedAt) };
}

function polledScans(rows: readonly ScanRow[], counts: Map<string, number>): PolledRow[] {
  return scanRows(rows, counts).map((scan) => ({
    row: scanRow(scan),
    id: scan.id,
    time: readTime(scan.scannedAt),
    sharedId: scan.id.replace(/^(scan-[0-9a-f]{32})-\d+$/, '$1'),
  }));
}

import { newestFirst } from '@qr-service/core/connector';
import type { Page } from '@qr-service/core';

/** Number of rows for the editor's test of a poll, which offers three at a time. */
export const SAMPLE_ROWS = 10;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How far back to look for the newest rows of a long list, in milliseconds. */
const WINDOWS_MS = [10 * MINUTE, DAY, 30 * DAY];

/**
 * Recent rows for the editor, newest first, and where the whole list continues. The API promises no order, so of a list
 * with several pages, this also reads wider and wider windows until there are a few recent rows.
 * @param readPage reads the first page of the rows since a time, or of all rows
 */
export async function newestRows<Row extends { id: string }>(
  readPage: (since?: string) => Promise<Page<Row>>,
  timeOf: (row: Row) => unknown,
): Promise<{ rows: Row[]; nextCursor: string | undefined }> {
  const { rows, nextCursor, servedAt = Date.now() } = await readPage();
  const recent: Row[] = [];
  for (const ms of nextCursor === undefined ? [] : WINDOWS_MS) {
    recent.push(...(await readPage(new Date(servedAt - ms).toISOString())).rows);
    if (recent.length >= SAMPLE_ROWS) break;
  }
  const all = new Map([...recent, ...rows].map((row) => [row.id, row]));
  return { rows: newestFirst([...all.values()], timeOf), nextCursor };
}

import { isApiError, type Page } from '@qr-service/core';
import { invalidParameter } from '@qr-service/core/connector';
import { text, wholeNumber, type Argument } from '../schemas/arguments.ts';

/** Rows that a list returns unless `limit` says otherwise. */
export const DEFAULT_LIMIT = 20;

/** The argument `limit` of a list of such rows. */
export const limitArgument = (rows: string) =>
  wholeNumber(`Maximum number of ${rows} to return. Default ${DEFAULT_LIMIT}.`, { min: 1, max: 100 });

/** Where to continue in a list: a page, by the API's own cursor, and how many of its rows are done. */
export interface Place {
  kind: 'list' | 'count';
  skip: number;
  /** Passed back to the service unchanged; undefined for the first page. */
  cursor: string | undefined;
}

/** The argument `cursor` of a list with such other arguments. Rows behind an API's cursor don't change places. */
export function cursorArgument(fields: string, others: string): Argument<Place | undefined> {
  const { schema, read } = text(`${fields} from an earlier result. Pass the same ${others} again.`);
  return {
    schema,
    read(value, info) {
      const given = read(value, info);
      if (given === undefined) return undefined;
      const [, kind, skip, cursor] = /^(list|count)\.(\d{1,9})\.(.*)$/s.exec(given) ?? [];
      if (cursor === undefined)
        throw invalidParameter(value, info, 'the cursor of an earlier result of this tool, unchanged');
      return { kind: kind as Place['kind'], skip: Number(skip), cursor: cursor || undefined };
    },
  };
}

/** The cursor that a tool returns for a place. */
export function writeCursor(kind: Place['kind'], cursor: string | undefined, skip = 0): string {
  return `${kind}.${skip}.${cursor ?? ''}`;
}

/**
 * Reads pages until `goesOn` returns false, the time is up, or the rate limit allows no more. The first page may take longer.
 * @returns the first matching rows; `rest`, the cursor of the next one, if it was read; `next`, the API's cursor of the next
 * page, if there is one
 */
export async function listRows<P extends Page<unknown>, Match>(
  open: (signal: AbortSignal) => AsyncIterable<P>,
  options: { from?: Place | undefined; limit: number; endsAt: number; signal: AbortSignal },
  match: (row: P['rows'][number]) => Match | undefined,
  goesOn: (page: P, isFull: boolean) => boolean,
) {
  const { from, limit, endsAt, signal } = options;
  const rows: Match[] = [];
  let rest: string | undefined;
  let cursor = from?.cursor;
  let skip = from?.skip ?? 0;
  const late = new AbortController();
  let last: P | undefined;
  AbortSignal.timeout(Math.max(0, endsAt - Date.now())).addEventListener('abort', () => {
    if (last !== undefined) late.abort();
  });
  try {
    for await (const page of open(AbortSignal.any([signal, late.signal]))) {
      last = page;
      for (const [index, row] of page.rows.entries()) {
        const matching = index < skip ? undefined : match(row);
        if (matching === undefined) continue;
        if (rows.length < limit) rows.push(matching);
        else rest ??= writeCursor('list', cursor, index);
      }
      skip = 0;
      cursor = page.nextCursor;
      if (!goesOn(page, rows.length >= limit) || Date.now() >= endsAt) break;
    }
  } catch (error) {
    const isOver = late.signal.aborted || (isApiError(error) && error.status === 429);
    if (last === undefined || signal.aborted || !isOver) throw error;
  }
  return { rows, rest, next: last?.nextCursor };
}

import { createHash } from 'node:crypto';
import { isApiError, type Page } from '@qr-service/core';
import * as z from 'zod';
import type { Arguments } from '../schemas/Arguments.ts';

/** A place in a list: a page, by the API's own cursor, and how many of its rows are done. */
export interface Place {
  /** Passed back to the service unchanged; undefined for the first page. */
  cursor: string | undefined;
  /** Rows. */
  done: number;
}

/** The place before the first row. */
export const START: Place = { cursor: undefined, done: 0 };

/** The argument `cursor` of a list with such other arguments. */
export const cursorArgument = (fields: string, others: string) =>
  z.string().optional().describe(`${fields} of an earlier result. Repeat its ${others}.`);

/** The cursor that tools return. It only fits the same query: results wouldn't add up otherwise. */
export function writeCursor(kind: string, { cursor, done }: Place, query: object): string {
  return [kind, done, digest(query), ...(cursor === undefined ? [] : [cursor])].join('.');
}

/** The place that the argument `cursor` means, and its kind; undefined without one. */
export function readCursor(
  args: Arguments,
  kinds: readonly string[],
  query: object,
): { kind: string; place: Place } | undefined {
  const text = args.text('cursor');
  if (text === undefined) return undefined;
  const [, kind = '', done, hash, cursor] = /^(\w+)\.(\d{1,9})\.([\w-]+)(?:\.(.+))?$/s.exec(text) ?? [];
  if (!kinds.includes(kind))
    args.invalid('cursor', 'the cursor of an earlier result of this tool, unchanged');
  if (hash !== digest(query))
    args.invalid(
      'cursor',
      'used with the same other arguments',
      'Repeat those of the call that returned it.',
    );
  return { kind, place: { cursor, done: Number(done) } };
}

function digest(query: object): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 6);
}

/** Rows that a list returns unless `limit` says otherwise. */
export const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The argument `limit` of a list of such rows. */
export const limitArgument = (rows: string) =>
  z
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .describe(`Maximum number of ${rows} to return. Default ${DEFAULT_LIMIT}.`);

/** Reads the argument `limit`. */
export function readLimit(args: Arguments): number {
  return args.wholeNumber('limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT;
}

/** The rows that a result shows, and where the first one is that it doesn't show. */
export class ShownRows<Row> {
  readonly rows: Row[] = [];
  /** Matching rows, also those that aren't shown. */
  count = 0;
  next: Place | undefined;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a matching row. */
  add(row: Row, place: Place): void {
    this.count += 1;
    if (this.rows.length < this.#limit) this.rows.push(row);
    else this.next ??= place;
  }
}

/** How a list is read. */
interface ReadOptions<P> {
  /** The pages from one of the API's cursors on. */
  pagesFrom: (cursor: string | undefined, signal: AbortSignal) => AsyncIterable<P>;
  from: Place;
  /** When reading ends, in milliseconds since the epoch. The first page may take longer. */
  endsAt: number;
  signal: AbortSignal;
}

/** A row with its place. */
export type Placed<Row> = readonly [row: Row, place: Place];

/**
 * Reads a list from a place on, until `take` returns false, the time is up, or the rate limit allows no more.
 * @param take takes the rows of a page, and returns whether to read another one
 * @returns where to continue later, and whether that is the end of the list
 */
export async function readList<Row, P extends Page<Row>>(
  { pagesFrom, from, endsAt, signal }: ReadOptions<P>,
  take: (rows: Placed<Row>[], page: P) => boolean,
): Promise<{ place: Place; isEnd: boolean }> {
  const late = new AbortController();
  let place = from;
  let pages = 0;
  AbortSignal.timeout(Math.max(0, endsAt - Date.now())).addEventListener('abort', () => {
    if (pages > 0) late.abort();
  });
  try {
    for await (const page of pagesFrom(from.cursor, AbortSignal.any([signal, late.signal]))) {
      pages += 1;
      const { cursor, done } = place;
      const rows = page.rows.map((row, index): Placed<Row> => [row, { cursor, done: index }]).slice(done);
      const goesOn = take(rows, page);
      place = { cursor, done: page.rows.length };
      if (page.nextCursor === undefined) return { place, isEnd: true };
      place = { cursor: page.nextCursor, done: 0 };
      if (!goesOn || Date.now() >= endsAt) break;
    }
  } catch (error) {
    const isOver = late.signal.aborted || (isApiError(error) && error.status === 429);
    if (pages === 0 || signal.aborted || !isOver) throw error;
  }
  return { place, isEnd: false };
}

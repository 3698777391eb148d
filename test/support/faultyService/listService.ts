import type { ErrorCode } from '@qr-service/core';
import { SAMPLE_QR_CODE } from '@qr-service/core/connector';
import { serve, type FaultyService } from './faultyService.ts';
import { respondWith, serviceError } from './serviceErrors.ts';

/** A code or scan as it is listed. */
export interface ListedRow extends Record<string, unknown> {
  id?: string;
  updatedAt?: string;
  scannedAt?: string;
  /** When it was written, in milliseconds since the epoch, if the row's own time doesn't say so. */
  writtenAt?: number;
}

/** A service whose lists contain exactly these rows. The test controls their visibility and the clock. */
export interface ListService extends FaultyService {
  /** In the order in which they were written. */
  rows: ListedRow[];
  order: 'as written' | 'newest first' | 'by ID';
  /** The service's clock, in milliseconds since the epoch. */
  now: () => number;
  /** Whether responses have a `Date` header. */
  tellsTime: boolean;
  pageSize: number;
  /** Whether every page has a cursor. An empty page then repeats its own. */
  isFeed: boolean;
  /** Requests that it accepts per minute. Undefined: any number, and no headers of a rate limit. */
  perMinute: number | undefined;
  /** The error for a request with this query, if any. */
  refusal: (query: URLSearchParams) => ErrorCode | undefined;
  /** Called before each response. The request gets no response if it returns false. */
  responds: (query: URLSearchParams) => boolean | Promise<boolean>;
  /** Creates or changes a row, which is both a code and a scan. */
  write: (id: string, fields?: ListedRow) => ListedRow;
}

/** Starts a service. Each walk shows the rows as they were at its start, except in a feed. */
export async function startListService(options: Partial<ListService> = {}): Promise<ListService> {
  const walks: ListedRow[][] = [];
  let accepted = { minute: 0, count: 0 };
  const service = await serve(async (request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    if (!(await list.responds(searchParams))) return;
    const now = list.now();
    response.sendDate = false;
    response.setHeader('Content-Type', 'application/json');
    if (list.tellsTime) response.setHeader('Date', new Date(now).toUTCString());
    if (list.perMinute !== undefined) {
      const minute = Math.floor(now / 60_000);
      accepted = { minute, count: accepted.minute === minute ? accepted.count + 1 : 1 };
      const reset = Math.ceil(60 - (now % 60_000) / 1000);
      response.setHeader('X-RateLimit-Limit', list.perMinute);
      response.setHeader('X-RateLimit-Remaining', Math.max(0, list.perMinute - accepted.count));
      response.setHeader('X-RateLimit-Reset', reset);
      const refusal = { ...serviceError('rate_limited'), headers: { 'Retry-After': `${reset}` } };
      if (accepted.count > list.perMinute) return respondWith(refusal)(request, response, body);
    }
    const refusal = list.refusal(searchParams);
    if (refusal !== undefined) return respondWith(serviceError(refusal))(request, response, body);
    const [, id] = /\/qr\/([^/]+)$/.exec(pathname) ?? [];
    return response.end(JSON.stringify(id === undefined ? page(searchParams) : { ...SAMPLE_QR_CODE, id }));
  });
  const list: ListService = {
    ...service,
    rows: [],
    order: 'as written',
    now: () => Date.now(),
    tellsTime: true,
    pageSize: 100,
    isFeed: false,
    perMinute: undefined,
    refusal: () => undefined,
    responds: () => true,
    write(id, fields) {
      const writtenAt = list.now();
      const time = new Date(writtenAt).toISOString();
      const times = { updatedAt: time, scannedAt: time, writtenAt };
      const row = { ...SAMPLE_QR_CODE, qrId: 'qr_1', ...times, ...fields, id };
      list.rows = [...list.rows.filter((other) => other.id !== id), row];
      return row;
    },
    ...options,
  };
  return list;

  function page(query: URLSearchParams) {
    const [start = 0, walk = walks.length] = (query.get('cursor')?.split(':') ?? []).map(Number);
    if (list.isFeed || walk === walks.length) walks[walk] = rowsSince(query);
    const rows = walks[walk]!;
    const end = Math.min(start + list.pageSize, rows.length);
    const nextCursor = list.isFeed || end < rows.length ? `${end}:${walk}` : null;
    return { data: rows.slice(start, end), pagination: { nextCursor } };
  }

  function rowsSince(query: URLSearchParams): ListedRow[] {
    const since = Date.parse(query.get('updatedSince') ?? query.get('since') ?? '');
    const rows = list.rows.filter(
      ({ writtenAt, updatedAt, scannedAt }) =>
        !((writtenAt ?? Date.parse(updatedAt ?? scannedAt ?? '')) < since),
    );
    if (list.order === 'newest first') rows.reverse();
    return list.order === 'by ID' ? rows.sort((a, b) => (a.id! < b.id! ? -1 : 1)) : rows;
  }
}

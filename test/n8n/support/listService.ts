import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve, type FaultyService } from '../../support/faultyService/faultyService.ts';

type Row = Record<string, unknown> & { updatedAt?: string; scannedAt?: string };

/** A service whose lists contain exactly these rows, oldest first. The test controls their visibility and the clock. */
export interface ListService extends FaultyService {
  rows: Row[];
  /** For the `Date` header, in milliseconds since the epoch. Undefined: no header. */
  clock: number | undefined;
  pageSize: number;
  /** Whether every page has a cursor. An empty page then repeats its own. */
  isFeed: boolean;
  /** Whether a request with this query fails. */
  forbids: (query: URLSearchParams) => boolean;
  /** Called before each response. The request gets no response if it returns false. */
  responds: () => boolean | Promise<boolean>;
}

/** Starts a service with these rows. */
export async function startListService(rows: Row[] = []): Promise<ListService> {
  const service = await serve((request, response) => respond(request, response));
  const list: ListService = {
    ...service,
    rows,
    clock: Date.now(),
    pageSize: 100,
    isFeed: false,
    forbids: () => false,
    responds: () => true,
  };
  return list;

  async function respond({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!(await list.responds())) return;
    const { searchParams } = new URL(url, 'http://service');
    const since = searchParams.get('updatedSince') ?? searchParams.get('since') ?? '';
    if (list.forbids(searchParams)) {
      response.statusCode = 403;
      response.end(JSON.stringify({ error: 'no', message: 'no', code: 'insufficient_scope' }));
      return;
    }
    const from = Number(searchParams.get('cursor') ?? 0);
    const found = list.rows.filter((row) => (row.updatedAt ?? row.scannedAt ?? '~') >= since);
    const data = found.slice(from, from + list.pageSize);
    const end = from + data.length;
    const nextCursor = list.isFeed || end < found.length ? String(end) : null;
    response.sendDate = false;
    if (list.clock !== undefined) response.setHeader('Date', new Date(list.clock).toUTCString());
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ data, pagination: { nextCursor } }));
  }
}

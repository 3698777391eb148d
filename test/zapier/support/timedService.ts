import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SAMPLE_QR_CODE } from '@qr-service/core/connector';
import type { Row } from '../../../engines/zapier/index.ts';

/** A code or scan at one point in time. */
export interface Version {
  id: string;
  /** When the service wrote it, by its own clock. */
  at: number;
  /** Invalid text in place of the row's time. */
  unreadable?: string;
  /** Other fields of the row. */
  name?: string;
  qrId?: string;
  publicUrl?: string;
}

/** Possible list orders. The API guarantees none. */
export const ORDERS = {
  'oldest first': (a, b) => a.at - b.at,
  'newest first': (a, b) => b.at - a.at,
  'by ID': (a, b) => (a.id < b.id ? -1 : 1),
} as const satisfies Record<string, (a: Version, b: Version) => number>;

export interface TimedServiceOptions {
  order?: keyof typeof ORDERS;
  pageSize?: number;
  /** Milliseconds by which its clock is ahead of the local one. */
  aheadMs?: number;
  /** Whether responses have a `Date` header. */
  tellsTime?: boolean;
  /** Requests that it accepts per minute; 0 for any number. */
  perMinute?: number;
  /** Whether every page has a cursor. */
  isFeed?: boolean;
}

export type TimedService = Awaited<ReturnType<typeof startTimedService>>;

/**
 * Lists codes and scans over HTTP. Each walk shows the rows as they were at its start. Unlike in the emulator, a page
 * takes time on a virtual clock, and rows may change while a list is read.
 */
export async function startTimedService(advance: (ms: number) => void, options: TimedServiceOptions = {}) {
  const {
    order = 'oldest first',
    pageSize = 100,
    aheadMs = 0,
    tellsTime = true,
    perMinute,
    isFeed = false,
  } = options;
  const current = new Map<string, Version>();
  const walks: Version[][] = [];
  const service = {
    /** Milliseconds that a page takes. */
    latencyMs: 0,
    pagesServed: 0,
    /** Whether it no longer accepts the API key. */
    isRevoked: false,
    /** Called before each page but the first. */
    whileReading: () => {},
    aheadMs,
    now: () => Date.now() + service.aheadMs,
    rows: () => [...current.values()],
    /** Creates or changes a row. */
    write(id: string, fields: Partial<Version> = {}): Version {
      const version = { at: service.now(), ...fields, id };
      current.set(id, version);
      return version;
    },
    delete: (id: string) => current.delete(id),
  };

  let minute = 0;
  let accepted = 0;
  /** Whether the rate limit allows a request. If not, rejects it. */
  const accept = (response: ServerResponse, perMinute: number) => {
    const now = Math.floor(service.now() / 60_000);
    if (now !== minute) accepted = 0;
    minute = now;
    const reset = Math.ceil(60 - (service.now() % 60_000) / 1000);
    response.setHeader('x-ratelimit-limit', perMinute);
    response.setHeader('x-ratelimit-remaining', Math.max(0, perMinute - ++accepted));
    response.setHeader('x-ratelimit-reset', reset);
    if (perMinute === 0 || accepted <= perMinute) return true;
    response.statusCode = 429;
    response.setHeader('retry-after', reset);
    response.end(
      JSON.stringify({ error: 'Too many requests', message: 'Wait.', code: 'rate_limited', requestId: 'r' }),
    );
    return false;
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    advance(service.latencyMs);
    service.pagesServed += 1;
    response.sendDate = false;
    if (tellsTime) response.setHeader('date', new Date(service.now()).toUTCString());
    response.setHeader('content-type', 'application/json');
    if (perMinute !== undefined && !accept(response, perMinute)) return;
    const [, code] = /\/qr\/([^/]+)$/.exec(pathname) ?? [];
    if (code !== undefined) {
      const version = current.get(code);
      response.end(JSON.stringify(version ? codeOf(version) : { ...SAMPLE_QR_CODE, id: code }));
      return;
    }
    const since = Date.parse(searchParams.get('updatedSince') ?? searchParams.get('since') ?? '1970-01-01');
    const [walk = walks.length, start = 0] = (searchParams.get('cursor')?.split(':') ?? []).map(Number);
    if (start > 0) service.whileReading();
    if (service.isRevoked) {
      response.statusCode = 401;
      response.end(JSON.stringify({ error: 'No', message: 'No.', code: 'invalid_api_key', requestId: 'r' }));
      return;
    }
    const rows = (walks[walk] ??= service
      .rows()
      .filter(({ at }) => at >= since)
      .sort(ORDERS[order]));
    const end = Math.min(start + pageSize, rows.length);
    const toRow: (version: Version) => object = pathname.endsWith('/scans') ? scanOf : codeOf;
    const nextCursor = isFeed || end < rows.length ? `${walk}:${end}` : null;
    response.end(JSON.stringify({ data: rows.slice(start, end).map(toRow), pagination: { nextCursor } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(service, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
}

const timeOf = ({ at, unreadable }: Version) => unreadable ?? new Date(at).toISOString();
const codeOf = (version: Version) => ({
  ...SAMPLE_QR_CODE,
  id: version.id,
  name: version.name ?? SAMPLE_QR_CODE.name,
  publicUrl: version.publicUrl ?? SAMPLE_QR_CODE.publicUrl,
  updatedAt: timeOf(version),
});
const scanOf = (version: Version) => ({
  id: version.id,
  qrId: version.qrId ?? 'qr_1',
  name: version.name,
  scannedAt: timeOf(version),
});

/**
 * Zapier's table of what a polling Zap has seen, by the primary fields: returns the rows of a poll that start the Zap.
 */
export function createDedupeTable(primary: string[]): (rows: Row[]) => Row[] {
  const seen = new Set<string>();
  const keyOf = (row: Row) => JSON.stringify(primary.map((field) => row[field]));
  return (rows) => {
    const fresh = rows.filter((row) => !seen.has(keyOf(row)));
    for (const row of fresh) seen.add(keyOf(row));
    return fresh;
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SAMPLE_QR_CODE } from '@qr-service/core/connector';
import { createZapierEngine, type ZapierEngine } from '../../engines/zapier/index.ts';
import { scanOutputRows } from '../../packages/zapier-qr-service/src/resources/scan.ts';
import {
  closeServices,
  neverRespond,
  ok,
  serve,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { failureOf } from './support/world.ts';

/** Number of codes that changed since a time; a page has 100. */
let codesSince: (since: Date) => number;
let pagesAsked = 0;
/** Called for each page. */
let onPage = () => {};
let engine: ZapierEngine;

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const start = Number(searchParams.get('cursor') ?? 0);
  const all = codesSince(new Date(searchParams.get('updatedSince') ?? 0));
  const end = Math.min(start + 100, all);
  const data = Array.from({ length: end - start }, (_, index) => ({
    ...SAMPLE_QR_CODE,
    id: `qr_${start + index}`,
  }));
  pagesAsked += 1;
  onPage();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ data, pagination: { nextCursor: end < all ? String(end) : null } }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  engine = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl } });
});
beforeEach(() => {
  pagesAsked = 0;
});
afterAll(async () => {
  await engine.close();
  server.close();
});

const hoursAgo = (date: Date) => (Date.now() - date.getTime()) / 3_600_000;

describe('a search with more codes than it reads', () => {
  beforeEach(() => {
    codesSince = () => 1_000_000;
  });

  test('fails if it finds nothing, so that "find or create" does not create a duplicate', async () => {
    const failure = await failureOf(engine.search('find_qr_code', { searchBy: 'name', value: 'None' }));
    expect(failure).toMatchObject({ name: 'AppError', code: 'search_limit' });
    expect(failure.message).toMatch(/first 5000 QR codes.*Use the QR code's ID instead/);
    expect(pagesAsked).toBe(51);
  });

  test('returns the codes it has found', async () => {
    const link = SAMPLE_QR_CODE.publicUrl;
    expect(await engine.search('find_qr_code', { searchBy: 'publicUrl', value: link })).toHaveLength(5000);
  });
});

describe('a poll for changed codes', () => {
  beforeEach(() => {
    const time = startVirtualTime();
    onPage = () => time.advance(200);
  });
  afterEach(() => {
    onPage = () => {};
    jest.restoreAllMocks();
  });

  test('looks back over a weekend', async () => {
    codesSince = (since) => (hoursAgo(since) > 71 ? 250 : 0);
    expect(await engine.poll('qr_changed')).toHaveLength(250);
  });

  test('looks back less far when too much has changed', async () => {
    codesSince = (since) => (hoursAgo(since) > 7 ? 1_000_000 : 1200);
    expect(await engine.poll('qr_changed')).toHaveLength(1200);
  });

  test('fails instead of silently losing changes when there are still too many', async () => {
    codesSince = () => 1_000_000;
    const failure = await failureOf(engine.poll('qr_changed'));
    expect(failure).toMatchObject({ name: 'AppError', code: 'too_many_changes' });
  });
});

describe("a run close to Zapier's limit of 30 seconds", () => {
  const { now } = Date;
  let skipped = 0;
  /** A response that took this many milliseconds. */
  const after =
    (ms: number, handler: RequestHandler): RequestHandler =>
    (...request) => {
      skipped += ms;
      return handler(...request);
    };
  let clock: jest.SpyInstance;
  beforeEach(() => {
    skipped = 0;
    clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + skipped);
  });
  afterEach(() => {
    clock.mockRestore();
    closeServices();
  });

  async function run<Result>(work: (engine: ZapierEngine) => Promise<Result>, ...handlers: RequestHandler[]) {
    const { url } = await serve(...handlers);
    const own = await createZapierEngine({ auth: { apiKey: 'key_of_a_test', baseUrl: url } });
    return failureOf(work(own)).finally(() => own.close());
  }

  test('stops a slow list and asks Zapier to retry later', async () => {
    let page = 0;
    const slowPage = after(4000, (_request, response) =>
      response.end(JSON.stringify({ data: [], pagination: { nextCursor: String(page++) } })),
    );
    const failure = await run((own) => own.poll('qr_changed'), slowPage);
    expect(failure).toMatchObject({
      name: 'ThrottledError',
      delay: 60,
      message: expect.stringContaining('The service is too slow right now.'),
    });
    expect(page).toBe(7);
  });

  test('still names a code that it created but could not publish in time', async () => {
    const input = { name: 'Door', targetUrl: 'https://example.com', publishNow: true };
    const failure = await run((own) => own.create('create_qr_code', input), after(26_500, ok), neverRespond);
    expect(failure).toMatchObject({ name: 'AppError', code: 'not_published' });
    expect(failure.message).toContain('The QR code qr_1 was created but not published: ');
  });
});

describe('IDs of scans', () => {
  const ids = (scans: Record<string, unknown>[]) => scanOutputRows(scans).map(({ id }) => id);

  test("are the service's own, with duplicates removed", () => {
    expect(ids([{ id: 's1' }, { id: 's2' }, { id: 's1' }])).toEqual(['s1', 's2']);
    expect(ids([{ scanId: 7 }, { scanId: 7 }])).toEqual(['7']);
  });

  test('are derived from rows without an ID, differ between equal rows and stay the same in each poll', () => {
    const scan = { qrId: 'qr_1', timestamp: '2026-01-15T10:00:00Z' };
    const [first, second] = ids([scan, scan]);
    expect(first).not.toBe(second);
    expect(ids([scan, scan, scan]).slice(0, 2)).toEqual([first, second]);
    expect(ids([{ timestamp: scan.timestamp, qrId: scan.qrId }])).toEqual([first]);
  });
});

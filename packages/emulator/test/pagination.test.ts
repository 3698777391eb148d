import type { QrCode } from '@qr-service/core';
import { randomIntegers } from '../../../test/support/seed.ts';
import { WALK_LIFETIME_MS } from '../src/store/codes.ts';
import { startService, stopServices, type Service } from './support/service.ts';

afterEach(stopServices);

interface ListedPage {
  rows: QrCode[];
  nextCursor: string | null;
}

async function page({ call }: Service, query: Record<string, string>): Promise<ListedPage> {
  const { status, json } = await call('GET', `/qr?${new URLSearchParams(query).toString()}`);
  if (status !== 200) throw new Error(JSON.stringify(json));
  const { nextCursor } = json['pagination'] as { nextCursor: string | null };
  return { rows: json['data'] as QrCode[], nextCursor };
}

/** Walks every page; `between` runs after each but the last. */
async function walk(
  service: Service,
  query: Record<string, string>,
  between: () => Promise<void> | void = () => undefined,
): Promise<QrCode[]> {
  const rows: QrCode[] = [];
  let cursor: string | null = null;
  do {
    const next: ListedPage = await page(service, cursor === null ? query : { ...query, cursor });
    rows.push(...next.rows);
    cursor = next.nextCursor;
    if (cursor !== null) await between();
  } while (cursor !== null);
  return rows;
}

const ids = (rows: QrCode[]) => rows.map(({ id }) => id);

async function createCodes(service: Service, count: number): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for (let nth = 0; nth < count; nth++) codes.push(await service.createCode(`Code ${nth}`));
  return codes;
}

test('returns 50 rows a page by default and 100 at most', async () => {
  const service = await startService();
  await createCodes(service, 101);
  expect((await page(service, {})).rows).toHaveLength(50);
  expect((await page(service, { limit: '100' })).rows).toHaveLength(100);
  const last = await page(service, { cursor: (await page(service, { limit: '100' })).nextCursor ?? '' });
  expect(last).toMatchObject({ rows: [{ name: 'Code 100' }], nextCursor: null });
});

test('returns no cursor when the last page is exactly full', async () => {
  const service = await startService();
  await createCodes(service, 3);
  expect((await page(service, { limit: '3' })).nextCursor).toBeNull();
});

test('increases updatedAt with every write, even if the clock stands still', async () => {
  const service = await startService({ now: () => Date.parse('2026-01-15T09:00:00Z') });
  const codes = await createCodes(service, 5);
  service.emulator.control.rename(codes[0]!.id, 'Renamed');
  const rows = await walk(service, {});
  expect(ids(rows)).toEqual([...ids(codes.slice(1)), codes[0]!.id]);
  expect(new Set(rows.map(({ updatedAt }) => updatedAt)).size).toBe(5);
  expect(rows.map(({ updatedAt }) => updatedAt)).toEqual(rows.map(({ updatedAt }) => updatedAt).toSorted());
});

test('lists codes updated at updatedSince or later', async () => {
  const service = await startService();
  const [first, second, third] = await createCodes(service, 3);
  service.emulator.control.rename(first!.id, 'Renamed');
  const rows = await walk(service, { updatedSince: third!.updatedAt });
  expect(ids(rows)).toEqual([third!.id, first!.id]);
  expect(ids(rows)).not.toContain(second!.id);
  const past = new Date(Date.parse(rows.at(-1)!.updatedAt) + 1).toISOString();
  expect(await walk(service, { updatedSince: past })).toEqual([]);
});

test('misses no edit when polled from the highest updatedAt seen', async () => {
  const random = randomIntegers();
  const service = await startService();
  const codes = await createCodes(service, 30);
  const seen = new Map<string, string>();
  let mark = '1970-01-01T00:00:00.000Z';
  for (let poll = 0; poll < 5; poll++) {
    const last = poll === 4;
    const rows = await walk(service, { updatedSince: mark, limit: '4' }, () => {
      if (!last) service.emulator.control.rename(codes[random(30)]!.id, `Poll ${poll} ${random(1e9)}`);
    });
    for (const { id, name } of rows) seen.set(id, name);
    mark = rows.at(-1)?.updatedAt ?? mark;
  }
  const now = await walk(service, {});
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(now.map(({ id, name }) => [id, name])));
});

test('leaves out a code that is deleted during the walk', async () => {
  const service = await startService();
  const codes = await createCodes(service, 4);
  let deleted = false;
  const rows = await walk(service, { limit: '2' }, () => {
    if (deleted) return;
    service.emulator.control.rename(codes[3]!.id, 'Renamed before its end');
    service.emulator.control.delete(codes[3]!.id);
    deleted = true;
  });
  expect(ids(rows)).toEqual(ids(codes.slice(0, 3)));
});

test('accepts a cursor until a day after the start of the walk', async () => {
  let now = Date.parse('2026-01-15T09:00:00Z');
  const service = await startService({ now: () => now });
  const codes = await createCodes(service, 3);
  // The lifetime counts from the start of the walk, not from the last write.
  now += 3 * WALK_LIFETIME_MS;
  const { nextCursor } = await page(service, { limit: '1' });
  now += WALK_LIFETIME_MS - 1000;
  service.emulator.control.rename(codes[1]!.id, 'Renamed late');
  const rest = await page(service, { cursor: nextCursor ?? '' });
  expect(rest.rows).toMatchObject([{ name: 'Code 1' }, { name: 'Code 2' }]);
  now += 2000;
  expect(await service.call('GET', `/qr?cursor=${nextCursor ?? ''}`)).toMatchObject({
    status: 422,
    json: { code: 'invalid_cursor' },
  });
});

test('returns 422 invalid_cursor for an unknown cursor', async () => {
  const service = await startService();
  await createCodes(service, 3);
  const { nextCursor } = await page(service, { limit: '1' });
  const cursor = nextCursor ?? '';
  const other = Buffer.from('{"kind":"qr","snapshot":1e99,"since":0,"from":0}').toString('base64url');
  for (const bad of ['', 'x', `${cursor}x`, cursor.slice(0, -4), other, 'eyJraW5kIjoicXIifQ', '%F0%9F%92%A9'])
    expect([bad, (await service.call('GET', `/qr?cursor=${bad}`)).json['code']]).toEqual([
      bad,
      'invalid_cursor',
    ]);
  expect((await service.call('GET', `/scans?cursor=${cursor}`)).json['code']).toBe('invalid_cursor');
});

test('refuses a cursor with another filter', async () => {
  const service = await startService();
  await createCodes(service, 3);
  const { nextCursor } = await page(service, { limit: '1' });
  const path = `/qr?cursor=${nextCursor ?? ''}&updatedSince=2026-01-15T09:00:00Z`;
  expect((await service.call('GET', path)).json).toMatchObject({
    code: 'validation_failed',
    details: { fields: { updatedSince: expect.any(String) } },
  });
});

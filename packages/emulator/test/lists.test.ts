import type { QrCode } from '@qr-service/core';
import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { WALK_LIFETIME_MS } from '../src/store/codes.ts';
import { type Service, startService } from './support/service.ts';

type Query = Record<string, string>;

interface Page<Row> {
  rows: Row[];
  nextCursor: string | null;
}

async function page<Row = QrCode>({ call }: Service, query: Query = {}, path = '/qr'): Promise<Page<Row>> {
  const { status, json } = await call('GET', `${path}?${new URLSearchParams(query).toString()}`);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return { rows: json['data'] as Row[], nextCursor: (json['pagination'] as Page<Row>).nextCursor };
}

/** Walks every page. What `during` begins after each but the last runs while the next one is read. */
async function walk<Row = QrCode>(
  service: Service,
  query: Query = {},
  during: (step: number) => unknown = () => undefined,
  path = '/qr',
): Promise<Row[]> {
  let { rows, nextCursor } = await page<Row>(service, query, path);
  for (let step = 0; nextCursor !== null; step++) {
    const edits = during(step);
    const next: Page<Row> = await page<Row>(service, { ...query, cursor: nextCursor }, path);
    await edits;
    rows = [...rows, ...next.rows];
    nextCursor = next.nextCursor;
  }
  return rows;
}

const ids = (rows: QrCode[]) => rows.map(({ id }) => id);

async function createCodes(service: Service, count: number): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for (let nth = 0; nth < count; nth++) codes.push(await service.createCode(`Code ${nth}`));
  return codes;
}

test('returns 50 rows a page by default and 100 at most, and no cursor after the last row', async () => {
  const codes = Array.from({ length: 101 }, (_, nth) => ({
    name: `Code ${nth}`,
    targetUrl: 'https://a.example',
  }));
  const service = await startService({ seed: { codes } });
  expect((await page(service)).rows).toHaveLength(50);
  const { rows, nextCursor } = await page(service, { limit: '100' });
  expect(rows).toHaveLength(100);
  const last = { rows: [{ name: 'Code 100' }], nextCursor: null };
  expect(await page(service, { cursor: nextCursor ?? '', limit: '1' })).toMatchObject(last);
});

test('increases updatedAt with every write, even if the clock stands still', async () => {
  const service = await startService({ now: () => Date.parse('2026-01-15T09:00:00Z') });
  const codes = await createCodes(service, 5);
  service.emulator.control.rename(codes[0]!.id, 'Renamed');
  const rows = await walk(service);
  expect(ids(rows)).toEqual([...ids(codes.slice(1)), codes[0]!.id]);
  const times = rows.map(({ updatedAt }) => updatedAt);
  expect(times).toEqual([...new Set(times)].toSorted());
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

test('refuses an unknown cursor, and one with another filter', async () => {
  const service = await startService();
  await createCodes(service, 3);
  const cursor = (await page(service, { limit: '1' })).nextCursor ?? '';
  const codeOf = async (path: string) => [path, (await service.call('GET', path)).json['code']];
  const other = Buffer.from('{"kind":"qr","snapshot":1e99,"since":0,"from":0}').toString('base64url');
  for (const bad of ['', 'x', `${cursor}x`, cursor.slice(0, -4), other, 'eyJraW5kIjoicXIifQ', '%F0%9F%92%A9'])
    expect(await codeOf(`/qr?cursor=${bad}`)).toEqual([`/qr?cursor=${bad}`, 'invalid_cursor']);
  const ofCodes = `/scans?cursor=${cursor}`;
  expect(await codeOf(ofCodes)).toEqual([ofCodes, 'invalid_cursor']);
  const path = `/qr?cursor=${cursor}&updatedSince=2026-01-15T09:00:00Z`;
  expect((await service.call('GET', path)).json).toMatchObject({
    code: 'validation_failed',
    details: { fields: { updatedSince: expect.any(String) } },
  });
});

const KINDS = ['create', 'rename', 'publish', 'retarget', 'archive', 'delete'] as const;

/** An edit of the code at a position, modulo the number of codes. */
interface Edit {
  kind: (typeof KINDS)[number];
  place: number;
}

const edit = fc.record<Edit>({ kind: fc.constantFrom(...KINDS), place: fc.nat(99) });
const edits = fc.array(edit, { maxLength: 5 });

/** Edits codes through the API and as the app does, and remembers the deleted ones. */
function editor({ call, createCode, emulator }: Service, codes: readonly QrCode[]) {
  const deleted = new Set<string>();
  let count = 0;
  async function apply({ kind, place }: Edit): Promise<void> {
    count += 1;
    const id = codes[place % codes.length]!.id;
    if (kind === 'create') await createCode(`New ${count}`);
    else if (deleted.has(id)) return;
    else if (kind === 'rename') emulator.control.rename(id, `Renamed ${count}`);
    else if (kind === 'archive') emulator.control.archive(id);
    else if (kind === 'publish') await call('POST', `/qr/${id}/publish`);
    else if (kind === 'retarget')
      await call('POST', `/qr/${id}/destination`, { body: { url: `https://example.com/${count}` } });
    else {
      deleted.add(id);
      emulator.control.delete(id);
    }
  }
  return { deleted, all: (some: readonly Edit[]) => Promise.all(some.map(apply)) };
}

test('lists each code once, in any order, despite edits during the walk', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        listOrder: fc.constantFrom('ascending', 'descending', 'id'),
        codes: fc.integer({ min: 1, max: 25 }),
        limit: fc.integer({ min: 1, max: 8 }),
        before: edits,
        since: fc.option(fc.nat(24)),
        during: fc.array(edits, { minLength: 1, maxLength: 5 }),
        updatedAtStepMs: fc.constantFrom(1, 20, 3_600_000),
      }),
      async ({ listOrder, codes: count, limit, before, since, during, updatedAtStepMs }) => {
        const service = await startService({ listOrder, updatedAtStepMs });
        const codes = await createCodes(service, count);
        const { deleted, all } = editor(service, codes);
        await all(before);
        const query = since === null ? {} : { updatedSince: codes[since % count]!.updatedAt };

        const atStart = await walk(service, { ...query, limit: '100' });
        const walked = await walk(service, { ...query, limit: String(limit) }, (step) =>
          all(during[step % during.length]!),
        );
        await service.emulator.stop();

        const lasting = (rows: QrCode[]) => rows.filter(({ id }) => !deleted.has(id));
        // A code that is deleted during the walk may have been listed before, as it was then.
        expect(lasting(walked)).toEqual(lasting(atStart));
        expect(atStart).toEqual(expect.arrayContaining(walked));
        expect(new Set(ids(walked)).size).toBe(walked.length);
      },
    ),
    { numRuns: runs(6, 75) },
  );
});

test('lists each scan once despite new scans during the walk', async () => {
  const visits = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        before: fc.integer({ min: 1, max: 20 }),
        limit: fc.integer({ min: 1, max: 6 }),
        during: visits,
      }),
      async ({ before, limit, during }) => {
        const service = await startService();
        const { id, publicUrl } = await service.createCode();
        await service.call('POST', `/qr/${id}/publish`);
        const visit = async (times: number) => {
          for (let nth = 0; nth < times; nth++) await fetch(publicUrl, { redirect: 'manual' });
        };
        await visit(before);

        // Later steps add no visits, so that the walk ends.
        const next = (step: number) => visit(during[step] ?? 0);
        const walked = await walk<object>(service, { limit: String(limit) }, next, '/scans');
        const atEnd = await walk<object>(service, { limit: '100' }, undefined, '/scans');
        await service.emulator.stop();

        // A visit after the last page was read belongs to the next walk.
        expect(walked).toEqual(atEnd.slice(0, walked.length));
        expect(walked.length).toBeGreaterThanOrEqual(before);
      },
    ),
    { numRuns: runs(3, 25) },
  );
});

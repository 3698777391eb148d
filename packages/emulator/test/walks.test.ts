import type { QrCode } from '@qr-service/core';
import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { startService, stopServices, type Service } from './support/service.ts';

afterEach(stopServices);

const property = { numRuns: runs(8, 25) };

interface Page<Row> {
  rows: Row[];
  nextCursor: string | null;
}

async function page<Row>({ call }: Service, path: string, query: Record<string, string>): Promise<Page<Row>> {
  const { status, json } = await call('GET', `${path}?${new URLSearchParams(query).toString()}`);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return { rows: json['data'] as Row[], nextCursor: (json['pagination'] as Page<Row>).nextCursor };
}

/** Walks every page; the edits that `during` begins run while the next page is read. */
async function walk<Row>(
  service: Service,
  path: string,
  query: Record<string, string>,
  during: (step: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<Row[]> {
  let { rows, nextCursor } = await page<Row>(service, path, query);
  for (let step = 0; nextCursor !== null; step++) {
    const edits = during(step);
    const next: Page<Row> = await page<Row>(service, path, { ...query, cursor: nextCursor });
    await edits;
    rows = [...rows, ...next.rows];
    nextCursor = next.nextCursor;
  }
  return rows;
}

const KINDS = ['create', 'rename', 'publish', 'retarget', 'archive', 'delete'] as const;

/** An edit of the code at a position, modulo the number of codes. */
interface Edit {
  kind: (typeof KINDS)[number];
  place: number;
}

const edits = fc.array(fc.record<Edit>({ kind: fc.constantFrom(...KINDS), place: fc.nat(99) }), {
  maxLength: 5,
});

/** Edits codes through the API and as the app does, and remembers the deleted ones. */
function editor(service: Service, codes: readonly QrCode[]) {
  const { call, createCode, emulator } = service;
  const deleted = new Set<string>();
  let count = 0;
  async function edit({ kind, place }: Edit): Promise<void> {
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
  return { deleted, all: (some: readonly Edit[]) => Promise.all(some.map(edit)) };
}

test.each(['ascending', 'descending', 'id'] as const)(
  'lists each code once in %s order despite edits during the walk',
  async (listOrder) => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          codes: fc.integer({ min: 1, max: 25 }),
          limit: fc.integer({ min: 1, max: 8 }),
          before: edits,
          since: fc.option(fc.nat(24)),
          during: fc.array(edits, { minLength: 1, maxLength: 5 }),
          updatedAtStepMs: fc.constantFrom(1, 20, 3_600_000),
        }),
        async ({ codes: count, limit, before, since, during, updatedAtStepMs }) => {
          const service = await startService({ listOrder, updatedAtStepMs });
          const codes: QrCode[] = [];
          for (let nth = 0; nth < count; nth++) codes.push(await service.createCode(`Code ${nth}`));
          const { deleted, all } = editor(service, codes);
          await all(before);
          const updatedSince = since === null ? undefined : codes[since % count]!.updatedAt;
          const query = { limit: String(limit), ...(updatedSince === undefined ? {} : { updatedSince }) };

          const atStart = await walk<QrCode>(service, '/qr', { ...query, limit: '100' });
          const walked = await walk<QrCode>(service, '/qr', query, (step) =>
            all(during[step % during.length]!),
          );
          await stopServices();

          const lasting = (rows: QrCode[]) => rows.filter(({ id }) => !deleted.has(id));
          // A code that is deleted during the walk may have been listed before, as it was then.
          expect(lasting(walked)).toEqual(lasting(atStart));
          expect(atStart).toEqual(expect.arrayContaining(walked));
          expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length);
        },
      ),
      property,
    );
  },
);

test('lists each scan once despite new scans during the walk', async () => {
  const visits = fc.integer({ min: 0, max: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        before: fc.integer({ min: 1, max: 20 }),
        limit: fc.integer({ min: 1, max: 6 }),
        during: fc.array(visits, { minLength: 1, maxLength: 8 }),
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
        const walked = await walk(service, '/scans', { limit: String(limit) }, (step) =>
          visit(during[step] ?? 0),
        );
        const atEnd = await walk(service, '/scans', { limit: '100' });
        await stopServices();

        expect(atEnd.length).toBeGreaterThanOrEqual(before);
        // A visit after the last page was read belongs to the next walk.
        expect(walked).toEqual(atEnd.slice(0, walked.length));
        expect(walked.length).toBeGreaterThanOrEqual(before);
      },
    ),
    property,
  );
});

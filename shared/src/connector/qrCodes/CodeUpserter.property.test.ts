import { fc } from '../../../../test/support/fastCheck.ts';
import { apiError } from '../../../../test/support/modelService/apiError.ts';
import { A, B, row, startRun, UpsertService } from '../../../../test/support/modelService/upsertService.ts';
import { runs } from '../../../../test/support/seed.ts';
import type { ApiError } from '../../errors/ApiError.ts';
import { CodeMemory } from './CodeMemory.ts';
import type { UpsertRow } from './CodeUpserter.ts';
import { isPublished } from './qrCode.ts';

describe('in any sequence of runs, faults and changes in the app', () => {
  // On both sides of a ten-minute mark, two processes may create a name twice: see "Limits" in reliability.md.
  beforeAll(() => void jest.spyOn(Date, 'now').mockReturnValue(0));
  afterAll(() => jest.restoreAllMocks());

  const NAMES = ['One', 'Two', 'Three'];
  const TARGETS = [A, B, 'https://example.com/c'];
  const references = fc.constantFrom<Partial<UpsertRow>>(
    ...NAMES.map((name) => ({ name, matchBy: 'name' as const })),
    { name: 'One', matchBy: 'name' as const, code: 'gone' },
    { code: 'qr1' },
    { code: 'r.example/qr1?utm_source=x' },
    { name: 'Old', matchBy: 'name' as const },
  );
  const rowOf = fc
    .tuple(references, fc.constantFrom(...TARGETS))
    .map(([reference, targetUrl]) => row({ ...reference, targetUrl }));
  const fault = fc.record({
    method: fc.constantFrom('create', 'publish', 'retarget', 'get', 'list'),
    skip: fc.nat(2),
    losesResponses: fc.boolean(),
  });
  const run = fc.record({
    rows: fc.array(rowOf, { minLength: 1, maxLength: 8 }),
    faults: fc.array(fault, { maxLength: 2 }),
    isLate: fc.boolean(),
    isOtherProcess: fc.boolean(),
    isTwice: fc.boolean(),
    lookups: fc.constantFrom(1, 20),
  });
  type Run = typeof run extends fc.Arbitrary<infer Value> ? Value : never;
  const step = fc.oneof(
    { weight: 3, arbitrary: run },
    { weight: 1, arbitrary: fc.record({ retargets: fc.constantFrom(...TARGETS) }) },
    { weight: 1, arbitrary: fc.record({ unpublishes: fc.constant(true) }) },
  );

  it('names have one code each, the last row wins, and unchanged is true', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), async (steps, clocksAgree) => {
        const service = Object.assign(new UpsertService(), { clocksAgree });
        service.add({ id: 'qr1', name: 'Old' });
        const memory = new CodeMemory();
        for (const one of steps) {
          if ('retargets' in one) service.retarget('qr1', one.retargets);
          else if ('unpublishes' in one) service.change('qr1', { status: 'draft' });
          else await runAndCheck(service, one, memory);
        }
        const names = service.codes.map(({ name }) => name);
        expect(names).toHaveLength(new Set(names).size);
      }),
      { numRuns: runs(150, 1500) },
    );
  });

  async function runAndCheck(
    service: UpsertService,
    { rows, faults, isLate, isOtherProcess, isTwice, lookups }: Run,
    memory: CodeMemory,
  ): Promise<void> {
    service.settle();
    if (isLate) service.hide(service.codes.map(({ id }) => id).filter((id) => id !== 'qr1'));
    for (const { method, skip, losesResponses } of faults) {
      service.losesResponses = losesResponses;
      service.failures[method] = [...Array<undefined>(skip), apiError(503, 'http_503')];
    }
    const settled = new Set(service.codes.filter(isPublished).map(({ id }) => id));
    const upsert = startRun(service, { lookups, ...(isOtherProcess ? {} : { memory }) });
    const elsewhere = isTwice
      ? rows.map(({ targetUrl, ...one }) => ({ ...one, targetUrl: `${targetUrl}#2` }))
      : [];
    const other = Promise.allSettled(elsewhere.map(startRun(service)));
    const results = await Promise.allSettled(rows.map(upsert));
    await other;
    for (const method of Object.keys(service.failures)) service.failures[method] = [];
    const last = new Map<string, string>();
    for (const result of results)
      if (result.status === 'fulfilled')
        last.set(result.value.code.id, String(result.value.code['targetUrl']));
    // Which of two processes has pointed a code last that either has published stays unknown: "Limits".
    if (isTwice) for (const { id } of service.codes) if (!settled.has(id)) service.change(id, {});
    if (isTwice) return;
    if (results.every(({ status }) => status === 'fulfilled'))
      for (const [id, url] of last) {
        expect(service.targets.get(id)).toBe(url);
        expect(service.get(id)?.['status']).toBe('published');
      }
    else if (faults.length === 0)
      for (const [at, result] of results.entries()) {
        if (result.status === 'fulfilled') continue;
        // What another process has created may not be listed yet.
        expect(isLate || rows[at]?.code === 'gone').toBe(true);
        expect((result.reason as ApiError).code).toMatch(/^(?:not_listed|not_found)$/);
      }
  }
});

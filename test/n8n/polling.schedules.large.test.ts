import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import type { Tick } from '../../engines/n8n/index.ts';
import { fc } from '../support/fastCheck.ts';
import { NODE, onPoll } from './support/workflows.ts';
import { startWorld } from './support/world.ts';

const CODES = 130;

const edit = fc.record({
  nth: fc.nat(),
  archives: fc.boolean(),
  afterMs: fc.constantFrom(0, 0, 1, 400, 60_000),
});
const step = fc.oneof(
  fc.record({
    kind: fc.constant('tick' as const),
    /** Edits after each request of the tick. */
    edits: fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 4 }),
    /** Number of the request that fails, and how. Mostly higher than the number of requests in a tick. */
    faultAt: fc.nat(8),
    fault: fc.constantFrom('insufficient_scope' as const, 'invalid_cursor' as const),
  }),
  fc.record({ kind: fc.constant('edits' as const), edits: fc.array(edit, { maxLength: 80 }) }),
  fc.record({ kind: fc.constant('creates' as const), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('restart' as const) }),
  fc.record({ kind: fc.constant('a day passes' as const) }),
);
const schedule = fc.array(step, { minLength: 4, maxLength: 14 });

const RUNS = 2;

const orders = ['ascending', 'descending', 'id'] as const;
const bounds = ['inclusive', 'exclusive'] as const;

test.each(
  orders.flatMap((order) =>
    bounds.flatMap((since) => [false, true].map((onlyNew) => [order, since, onlyNew] as const)),
  ),
)(
  "loses and duplicates no change on n8n's engine: order %s, since %s, Only New %s",
  async (listOrder, listSince, onlyNew) => {
    await fc.assert(
      fc.asyncProperty(schedule, async (steps) => {
        let clock = Date.UTC(2026, 0, 1);
        let afterRequest: () => void = () => undefined;
        const world = await startWorld({
          now: () => clock,
          log: (line) => {
            if (line.includes('GET')) afterRequest();
          },
          rateLimit: { limit: 1e6, windowSeconds: 10 },
          listOrder,
          listSince,
          maxLimit: 50,
        });
        const { control, url: baseUrl, apiKey } = world.emulator;
        const client = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
        const ids: string[] = [];
        const create = async () => {
          const content = { targetUrl: 'https://example.com/' };
          ids.push(
            (await client.qr.create({ name: 'Code', mode: 'dynamic', contentType: 'url', content })).id,
          );
        };
        let edits = 0;
        const apply = ({ nth, archives, afterMs }: { nth: number; archives: boolean; afterMs: number }) => {
          clock += afterMs;
          const id = ids[nth % ids.length]!;
          if (archives) control.archive(id);
          else control.rename(id, `Edit ${edits++}`);
        };
        const states = async () => {
          const all = new Map<string, string>();
          for await (const { id, updatedAt } of client.qr.list()) all.set(id, `${id}@${updatedAt}`);
          return all;
        };
        const emitted: { id: string; state: string }[] = [];
        const collect = ({ items }: Tick) => {
          for (const { json } of items) {
            const { id, updatedAt } = json as { id: string; updatedAt: string };
            emitted.push({ id, state: `${id}@${updatedAt}` });
          }
        };

        try {
          for (let i = 0; i < CODES; i++) await create();
          const old = await states();
          const trigger = world.engine.pollTrigger(onPoll('changedCodes', { onlyNew }), NODE);
          await trigger.activate();
          for (const step of steps) {
            if (step.kind === 'edits') step.edits.forEach(apply);
            else if (step.kind === 'creates') for (let i = 0; i < step.count; i++) await create();
            else if (step.kind === 'restart') trigger.restart();
            else if (step.kind === 'a day passes') clock += 25 * 60 * 60 * 1000;
            else {
              const script = [...step.edits];
              afterRequest = () => script.shift()?.forEach(apply);
              if (step.faultAt > 0) control.failNext({ times: step.faultAt, delayMs: 0 });
              control.failNext({ code: step.fault });
              await trigger.tick().then(collect, () => undefined);
              afterRequest = () => undefined;
              // A fault that the tick didn't reach must not affect the next one.
              for (let left = 0; left <= step.faultAt; left++) await client.me().catch(() => undefined);
            }
          }
          for (let tick = 0; tick < 8; tick++) collect(await trigger.tick());

          const end = await states();
          expect(new Set(emitted.map(({ state }) => state)).size).toBe(emitted.length);
          const news = [...end].filter(([id, state]) => (onlyNew ? !old.has(id) : old.get(id) !== state));
          if (onlyNew) {
            expect(emitted.map(({ id }) => id).sort()).toEqual(news.map(([id]) => id).sort());
          } else {
            expect(emitted.map(({ state }) => state)).toEqual(
              expect.arrayContaining(news.map(([, state]) => state)),
            );
            const before = new Set(old.values());
            expect(emitted.filter(({ state }) => before.has(state))).toEqual([]);
          }
        } finally {
          await world.close();
        }
      }),
      { numRuns: RUNS },
    );
  },
);

import {
  isQrServiceError,
  QrServiceClient,
  TransportError,
  type QrCode,
  type Transport,
} from '@qr-service/core';
import { CodeMemory, CodeUpserter, isNotPublishedError } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { fc } from '../support/fastCheck.ts';
import { runs } from '../support/seed.ts';
import { CHANGES, changingShape } from '../support/wireShapes.ts';

const NAMES = ['Door', 'Menu', 'Table 4'];
const TARGETS = ['https://example.com/a', 'https://example.com/b'];

/** How a service may behave where docs/api.md promises nothing. */
const shapes = fc.record({
  readLagMs: fc.constantFrom(0, 1000),
  content: fc.constantFrom('none', 'current', 'stale'),
  change: fc.constantFrom(...CHANGES),
  listOrder: fc.constantFrom('ascending', 'descending', 'id'),
});

/** Some rows in one run. A process that crashes sends no request after this many, and a run is stopped before the last. */
const processes = fc.record({
  rows: fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      targetUrl: fc.constantFrom(...TARGETS),
      isTypo: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  crashesAfter: fc.option(fc.nat(6), { nil: Infinity }),
  isStopped: fc.boolean(),
});

interface Process {
  rows: { name: string; targetUrl: string; isTypo: boolean }[];
  crashesAfter: number;
  isStopped: boolean;
}

let emulator: Emulator;
const changing = changingShape();
beforeAll(async () => {
  const rateLimit = { limit: 1_000_000, windowSeconds: 60 };
  emulator = await startEmulator({ rateLimit, ...changing.options, seed: { codes: [] } });
  // On both sides of a ten-minute mark, two processes may create a name twice: see "Limits" in reliability.md.
  const { now } = Date;
  const start = now();
  jest.spyOn(Date, 'now').mockImplementation(() => now() - start);
});
afterAll(() => {
  jest.restoreAllMocks();
  return emulator.stop();
});

/** A client of a process of its own, which may crash, after `stop` was called. */
function clientOf(crashesAfter = Infinity, stop = () => {}): QrServiceClient {
  const { url: baseUrl, apiKey } = emulator;
  const send = undiciTransport();
  let left = crashesAfter;
  const transport: Transport = (request) => {
    if (left === 1) stop();
    left -= 1;
    return left < 0
      ? Promise.reject(new TransportError('The process has ended.', { code: 'aborted' }))
      : send(request);
  };
  return new QrServiceClient({ baseUrl, apiKey, transport });
}

function run({ rows, crashesAfter, isStopped }: Process, memory = new CodeMemory()) {
  const controller = new AbortController();
  const client = clientOf(crashesAfter, () => isStopped && controller.abort());
  const options = { signal: controller.signal };
  const upserter = new CodeUpserter(client.qr, { ...options, memory, lookups: rows.length });
  return Promise.allSettled(
    rows.map(({ name, targetUrl, isTypo }) => {
      const row = { name, targetUrl, matchBy: 'name' as const, ...(isTypo && { code: 'qr_typo' }) };
      return upserter.upsert(row, () => options);
    }),
  );
}

async function allCodes(): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const code of clientOf().qr.list()) codes.push(code);
  return codes;
}

/** Where a short link leads. */
async function follow(url: string): Promise<unknown> {
  const request = { method: 'GET', url, headers: {}, responseType: 'bytes', timeoutMs: 60_000 } as const;
  const { headers } = await undiciTransport()(request);
  return headers['location'];
}

it('creates one code for each name and reports results truthfully when several runs at once crash or are stopped anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(
      shapes,
      fc.array(processes, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0, 1000),
      fc.boolean(),
      async (shape, atOnce, visibleAfterMs, isOneProcess) => {
        emulator.control.reset();
        changing.set(emulator.control, shape);
        emulator.control.changeSettings({ visibleAfterMs });
        const memory = isOneProcess ? new CodeMemory() : undefined;
        const results = (await Promise.all(atOnce.map((one) => run(one, memory)))).flat();
        const rows = atOnce.flatMap((one) => one.rows);
        emulator.control.changeSettings({ visibleAfterMs: 0, readLagMs: 0 });
        const codes = await allCodes();
        const names = codes.map(({ name }) => name);
        expect(names).toHaveLength(new Set(names).size);
        for (const [index, result] of results.entries()) {
          if (rows[index]?.isTypo === true) expect(result.status).toBe('rejected');
          if (result.status === 'rejected') expect(isQrServiceError(result.reason)).toBe(true);
          if (result.status === 'rejected' && isNotPublishedError(result.reason))
            expect(codes.map(({ id }) => id)).toContain(result.reason.qrCode.id);
        }

        // Now the lists show everything: a run without others ends with the truth.
        const last: Process = {
          rows: rows.filter(({ isTypo }) => !isTypo),
          crashesAfter: Infinity,
          isStopped: false,
        };
        const ends = new Map<string, string>();
        for (const [index, result] of (await run(last)).entries())
          if (result.status === 'fulfilled')
            ends.set(result.value.code.publicUrl, last.rows[index]?.targetUrl ?? '');
          else throw result.reason;
        for (const [link, targetUrl] of ends) expect(await follow(link)).toBe(targetUrl);
      },
    ),
    { numRuns: runs(25, 300) },
  );
});

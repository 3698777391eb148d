import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { ApiError, type ApiErrorInit } from '../errors/ApiError.ts';
import type { PlatformClientOptions } from './configuration.ts';
import { IdempotencyKey } from './idempotencyKey.ts';
import type { PlatformClient } from './PlatformClient.ts';
import type { Transport } from './transport.ts';

const CODE = { name: 'Door', publicUrl: 'https://r.example/door', updatedAt: '2026-01-01T00:00:00.000Z' };
const INPUT = { name: 'Door', mode: 'dynamic', contentType: 'url', content: {} };

/** A service that stores its responses, or only successes, and refuses writes while its quota is full. */
function start(storesRefusals: boolean) {
  const stored = new Map<string, { input: string; status: number; body: string }>();
  const service = { isFull: true, made: 0 };
  let requests = 0;
  const refusal = (code: string) => JSON.stringify({ code, message: 'No.', requestId: `req_${++requests}` });
  const respond = (key: string, input: string) => {
    const kept = stored.get(key);
    if (kept?.input === input) return kept;
    if (kept !== undefined) return { status: 409, body: refusal('idempotency_conflict') };
    const response = service.isFull
      ? { input, status: 403, body: refusal('quota_exceeded') }
      : { input, status: 200, body: JSON.stringify({ ...CODE, id: `id_${++service.made}` }) };
    if (storesRefusals || !service.isFull) stored.set(key, response);
    return response;
  };
  const transport: Transport = ({ headers, body = '' }) =>
    Promise.resolve({ ...respond(headers['Idempotency-Key']!, body), headers: {} });
  return { service, transport };
}

let account = 0;
const nextAccount = () => `qrs_key_${++account}`;

/** The client as another process loads it: it remembers nothing of what others have seen. */
function loadProcess() {
  let loaded: { PlatformClient: typeof PlatformClient } | undefined;
  jest.isolateModules(() => {
    // oxlint-disable-next-line typescript/no-require-imports -- the only way to load it again
    loaded = require('./PlatformClient.ts') as typeof loaded;
  });
  return {
    create: (options: Pick<PlatformClientOptions, 'transport' | 'apiKey'>, name = INPUT.name) => {
      const client = new loaded!.PlatformClient({ baseUrl: 'https://api.example.com', ...options });
      return client.qr.create({ ...INPUT, name }, { idempotencyKey: 'row 1' }).then(
        ({ id }) => id,
        (error: unknown) => (error as { code: string }).code,
      );
    },
  };
}
const PROCESSES = [loadProcess(), loadProcess(), loadProcess()];

/** Creates a code with one key. `1:Door` is a call of process 1; `fill` and `free` change the quota. */
async function play(steps: string[], storesRefusals: boolean) {
  const { service, transport } = start(storesRefusals);
  const options = { transport, apiKey: nextAccount() };
  const results: string[] = [];
  for (const step of steps) {
    const [process, name] = step.split(':');
    if (step === 'fill' || step === 'free') service.isFull = step === 'fill';
    else results.push(await PROCESSES[Number(process)]!.create(options, name));
  }
  return { results: results.join(' '), made: service.made };
}

const REFUSAL = { status: 403, code: 'quota_exceeded', message: 'No.', retryable: false, path: '/qr' };
const errorOf = (init: Partial<ApiErrorInit>) => new ApiError({ ...REFUSAL, method: 'POST', ...init });
it.each<[isRefusal: boolean, init: Partial<ApiErrorInit>]>([
  [true, {}],
  [true, { status: 422, code: 'validation_failed' }],
  [false, { code: 'http_403', intermediary: 'text/html' }],
  [false, { status: 401, code: 'invalid_api_key' }],
  [false, { status: 500, code: 'broken' }],
  [false, { status: 429, code: 'rate_limited', retryable: true }],
  [false, { status: 409, code: 'name_taken' }],
])('a second error leads to a new key: %p, %p', (expected, init) => {
  const key = new IdempotencyKey('row 1', nextAccount());
  const error = errorOf({ requestId: 'req_1', ...init });
  expect([key.advanceAfter(error), key.current]).toEqual([false, 'row 1']);
  const next = expected ? (expect.stringMatching(/^[0-9a-f]{64}$/) as string) : 'row 1';
  expect([key.advanceAfter(error), key.current]).toEqual([expected, next]);
  const unnamed = new IdempotencyKey('row 2', nextAccount());
  expect([1, 2].map(() => unnamed.advanceAfter(errorOf(init)))).toEqual([false, false]);
});

it('remembers the refusal of a key, but of its own account only, until another one or a later key', () => {
  const [one, other] = [nextAccount(), nextAccount()].map((name) => new IdempotencyKey('row 1', name));
  const [a, b] = ['a', 'b'].map((requestId) => errorOf({ requestId }));
  const elsewhere = errorOf({ status: 401, code: 'invalid_api_key', requestId: 'c' });
  const advances = [a, elsewhere, b, elsewhere, b, b, b].map((error) => one!.advanceAfter(error));
  expect(advances).toEqual([false, false, false, false, true, false, true]);
  expect(other!.advanceAfter(b)).toBe(false);
});

it('remembers the refusals of the last 10,000 keys', () => {
  const refusal = errorOf({ requestId: 'a' });
  const isReplay = (row: number) => new IdempotencyKey(`row ${row}`, 'account').advanceAfter(refusal);
  for (let row = 1; row <= 10_001; row++) isReplay(row);
  expect([2, 1].map(isReplay)).toEqual([true, false]);
});

const KEPT = 'is never sent with other input under the next key, as another process may have executed it';
const AGAIN = 'succeeds under the same key once its cause is fixed, and is replayed after that';
it.each<[what: string, storesRefusals: boolean, steps: string, results: string]>([
  [AGAIN, true, '0 0 free 0 0 0', 'quota_exceeded quota_exceeded id_1 id_1 id_1'],
  [AGAIN, false, '0 0 free 0 0 0', 'quota_exceeded quota_exceeded id_1 id_1 id_1'],
  ['fails once more in another process', true, '0 free 0 1 1', 'quota_exceeded id_1 quota_exceeded id_1'],
  [KEPT, false, '0:Wrong free 1:Right 0:Edited', 'quota_exceeded id_1 idempotency_conflict'],
])('a refused write %s (refusals stored: %p)', async (_what, stores, steps, results) => {
  expect(await play(steps.split(' '), stores)).toEqual({ results, made: 1 });
});

it('creates one code a day across any refusals and processes', async () => {
  const step = fc.constantFrom('0', '0', '0', '1', '2', 'fill', 'free');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, stores) => {
      expect((await play(steps, stores)).made).toBeLessThanOrEqual(1);
    }),
    { numRuns: runs(30, 300) },
  );
});

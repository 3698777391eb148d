import type { ZObject } from 'zapier-platform-core';
import { startSimulatedTime } from '../support/jest/simulatedTime.ts';
import { createQrCode } from '../../packages/zapier-qr-service/src/creates/createQrCode.ts';
import { refusedKeys } from '../../packages/zapier-qr-service/src/client/refusedKeys.ts';

/** A `z` with the test's own cache. */
const toolbox = (cache: Partial<ZObject['cache']>) => ({ cache }) as ZObject;

afterEach(() => jest.restoreAllMocks());

test("a rejected key is stored in Zapier's cache for a day, for runs in other processes", async () => {
  const kept = new Map<string, { value: unknown; seconds: number | undefined }>();
  const z = toolbox({
    get: (key) => Promise.resolve((kept.get(key)?.value ?? null) as null),
    set: (key, value, seconds) => Promise.resolve(Boolean(kept.set(key, { value, seconds }))),
  });
  expect(await refusedKeys(z).get('hash')).toBeUndefined();
  await refusedKeys(z).set('hash', '0a1b2c3d');
  expect(await refusedKeys(z).get('hash')).toBe('0a1b2c3d');
  expect([...kept]).toEqual([['refused:hash', { value: '0a1b2c3d', seconds: 86_400 }]]);
});

test('a cache that does not respond costs a run two seconds at most', async () => {
  const time = startSimulatedTime();
  let asked = 0;
  const never = () => {
    asked++;
    return new Promise<never>(() => undefined);
  };
  const keys = refusedKeys(toolbox({ get: never, set: never }));
  expect(await time.run(Promise.resolve(keys.get('hash')))).toBeUndefined();
  await time.run(Promise.resolve(keys.set('hash', '0a1b2c3d')));
  expect({ asked, elapsed: time.elapsed() }).toEqual({ asked: 1, elapsed: 2000 });
});

test('a cache that failed is used again in the next run', async () => {
  const get = jest.fn(() => Promise.reject(new Error('away')));
  for (const z of [toolbox({ get }), toolbox({ get })]) {
    const keys = refusedKeys(z);
    expect([await keys.get('hash'), await keys.get('hash')]).toEqual([undefined, undefined]);
  }
  expect(get).toHaveBeenCalledTimes(2);
});

class PlainError extends Error {
  readonly doNotContextify = true;
}
class ThrottledError extends PlainError {}

test.each([0, 3, 12])(
  "a cache that does not respond doesn't hide the reason of a rejection, after %i replays",
  async (replays) => {
    const time = startSimulatedTime();
    const never = () => new Promise<never>(() => undefined);
    let requests = 0;
    const z = {
      cache: { get: never, set: never },
      errors: { Error: PlainError, ThrottledError },
      request: async () => {
        const count = ++requests;
        await time.wait(300);
        const mark = count <= replays ? { 'idempotency-replayed': 'true' } : {};
        const refusal = { code: 'quota_exceeded', message: 'Full.', requestId: `req_${count}` };
        return {
          status: 403,
          headers: new Headers({ 'content-type': 'application/json', ...mark }),
          body: [Buffer.from(JSON.stringify(refusal))],
        };
      },
    } as unknown as ZObject;
    const bundle = {
      authData: { apiKey: `qrs_key_${replays}`, baseUrl: 'https://api.example.com' },
      inputData: { name: 'A', targetUrl: 'https://example.com', deduplicationKey: 'k', publishNow: false },
      meta: {},
    };
    const perform = createQrCode.operation.perform as (z: ZObject, bundle: unknown) => Promise<unknown>;
    const failure = await time.run(perform(z, bundle).catch((error: unknown) => error));
    expect(String(failure)).toMatch(/Full/);
    expect(time.elapsed()).toBeLessThan(7000);
  },
);

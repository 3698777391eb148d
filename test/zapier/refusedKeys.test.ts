import type { ZObject } from 'zapier-platform-core';
import { startSimulatedTime } from '../../harness/jest/simulatedTime.ts';
import { refusedKeys } from '../../packages/zapier-qr-service/src/refusedKeys.ts';

/** Zapier's toolbox with a cache of the test's own. */
const toolbox = (cache: Partial<ZObject['cache']>) => ({ cache }) as ZObject;

afterEach(() => jest.restoreAllMocks());

test("a refusal is kept in Zapier's cache for a day, for runs in other processes", async () => {
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
  const never = () => new Promise<never>(() => undefined);
  const keys = refusedKeys(toolbox({ get: never, set: never }));
  await expect(time.run(Promise.resolve(keys.get('hash')))).rejects.toThrow('too late');
  await expect(time.run(Promise.resolve(keys.set('hash', '0a1b2c3d')))).rejects.toThrow('too late');
  expect(time.elapsed()).toBe(4000);
});

import { startSimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import { mapInOrder } from '../nodes/QrService/common/mapInOrder.ts';

/** Starts work that the test finishes item by item. */
function start(count: number, concurrency: number) {
  const begun: PromiseWithResolvers<number>[] = [];
  const all = mapInOrder(
    count,
    concurrency,
    (index) => (begun[index] = Promise.withResolvers<number>()).promise,
  );
  return { begun, all };
}
/** Runs everything that isn't waiting for the test. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('returns the results in order, regardless of which ends first', async () => {
  const { begun, all } = start(4, 4);
  for (const index of [2, 0, 3, 1]) begun[index]!.resolve(index);
  expect(await all).toEqual([0, 1, 2, 3]);
});

test('runs up to the allowed number at once, and starts another one when one ends', async () => {
  const { begun, all } = start(7, 3);
  await settle();
  expect(begun).toHaveLength(3);
  begun[1]!.resolve(1);
  await settle();
  expect(begun).toHaveLength(4);
  for (let index = 0; index < 7; index++) {
    begun[index]!.resolve(index);
    await settle();
  }
  expect(await all).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('after a failure, starts nothing new, waits for running work and throws the error with the lowest index', async () => {
  const { begun, all } = start(100, 3);
  let isRejected = false;
  all.catch(() => (isRejected = true));
  begun[1]!.reject(new Error('failed 1'));
  begun[2]!.resolve(2);
  await settle();
  expect({ isRejected, begun: begun.length }).toEqual({ isRejected: false, begun: 3 });
  begun[0]!.reject(new Error('failed 0'));
  await expect(all).rejects.toThrow('failed 0');
  expect(begun).toHaveLength(3);
});

test('returns an empty list for no items', async () => {
  expect(await start(0, 3).all).toEqual([]);
});

test('gives n8n a turn at least every 35 items that need no request', async () => {
  const time = startSimulatedTime();
  let started = 0;
  let most = 0;
  let before = 0;
  const all = mapInOrder(1000, 10, () => {
    started += 1;
    return Promise.resolve();
  });
  let isOver = false;
  const turns = async () => {
    while (!isOver) {
      most = Math.max(most, started - before);
      before = started;
      await settle();
    }
  };
  await Promise.all([turns(), time.run(all).finally(() => (isOver = true))]);
  expect(started).toBe(1000);
  expect(most).toBeLessThanOrEqual(35);
  jest.restoreAllMocks();
});

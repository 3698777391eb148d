import { ApiError, TransportError } from '@qr-service/core';
import { inTurn } from '../nodes/QrService/helpers/inTurn.ts';
import { mapInOrder } from '../nodes/QrService/helpers/mapInOrder.ts';
import { Outage } from '../nodes/QrService/helpers/Outage.ts';

describe('mapInOrder', () => {
  test('gives results in order and runs at most as many at once as it is told', async () => {
    let running = 0;
    let most = 0;
    const results = await mapInOrder(40, 5, async (index) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, (index * 7) % 5));
      running--;
      return index;
    });
    expect(results).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(most).toBe(5);
  });

  test('throws what the lowest failing index threw, after those under way have ended, and begins nothing new', async () => {
    const ended: number[] = [];
    const run = mapInOrder(100, 3, async (index) => {
      await new Promise((resolve) => setTimeout(resolve, index === 0 ? 10 : 1));
      ended.push(index);
      if (index < 2) throw new Error(`failed ${index}`);
    });
    await expect(run).rejects.toThrow('failed 0');
    expect(ended.length).toBeLessThan(6);
    expect(ended).toContain(2);
  });
});

test('work on one code is done in turn, also after a failure, and on different codes at once', async () => {
  const turns = inTurn();
  const log: string[] = [];
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, ms));
    log.push(`${name} ends`);
    if (name === 'a1') throw new Error('no');
  };
  const [first] = await Promise.allSettled([
    turns('a', work('a1', 30)),
    turns('a', work('a2', 1)),
    turns('b', work('b1', 1)),
  ]);
  expect(first.status).toBe('rejected');
  expect(log).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends']);
});

describe('an outage', () => {
  const down = (status?: number) =>
    status === undefined
      ? new TransportError('The service could not be reached (ECONNREFUSED).', { kind: 'network' })
      : new ApiError({
          status,
          code: 'some_code',
          message: 'No.',
          retryable: true,
          method: 'GET',
          path: '/me',
        });
  let time = 0;
  const failWith = (error: Error) => () => Promise.reject(error);
  const works = () => Promise.resolve('done');
  const outage = () => new Outage(() => time);

  test.each([
    ['no answer', down()],
    ['an answer of 503', down(503)],
  ])('is tried for a minute (%s); then the other items fail at once, unsent', async (_how, error) => {
    const watched = outage();
    for (time = 0; time < 60_000; time += 4000)
      await expect(watched.watch(failWith(error))).rejects.toBe(error);
    const work = jest.fn(works);
    await expect(watched.watch(work)).rejects.toMatchObject({
      name: 'TransportError',
      message: expect.stringMatching(/No answer has come for a minute, so this item was not sent\.$/),
    });
    expect(work).not.toHaveBeenCalled();
  });

  test.each([
    ['a success', works],
    ['a refused row', failWith(down(422))],
  ])('is up again with %s', async (_how, answer) => {
    const watched = outage();
    for (time = 0; time < 200_000; time += 4000) {
      await expect(watched.watch(failWith(down()))).rejects.toThrow('ECONNREFUSED');
      if (time % 40_000 === 0) await watched.watch(answer).catch(() => undefined);
    }
  });
});

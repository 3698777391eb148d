import { ApiError, TransportError } from '@qr-service/core';
import { Outage } from '../nodes/QrService/helpers/Outage.ts';

describe('Outage', () => {
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
  ])(
    'retries for a minute (%s), then fails other items at once without sending them',
    async (_how, error) => {
      const watched = outage();
      for (time = 0; time < 60_000; time += 4000)
        await expect(watched.watch(failWith(error))).rejects.toBe(error);
      const work = jest.fn(works);
      await expect(watched.watch(work)).rejects.toMatchObject({
        name: 'TransportError',
        message: expect.stringMatching(/No answer has come for a minute, so this item was not sent\.$/),
      });
      expect(work).not.toHaveBeenCalled();
    },
  );

  test.each([
    ['a success', works],
    ['a refused row', failWith(down(422))],
  ])('ends with %s', async (_how, answer) => {
    const watched = outage();
    for (time = 0; time < 200_000; time += 4000) {
      await expect(watched.watch(failWith(down()))).rejects.toThrow('ECONNREFUSED');
      if (time % 40_000 === 0) await watched.watch(answer).catch(() => undefined);
    }
  });
});

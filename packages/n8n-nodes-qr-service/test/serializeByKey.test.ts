import { serializeByKey } from '../nodes/shared/serializeByKey.ts';
import { deferred } from './support/deferred.ts';

function start() {
  const serialize = serializeByKey();
  const log: string[] = [];
  const run = (key: string, name: string) => {
    const work = deferred();
    const done = serialize(key, async () => {
      log.push(`${name} starts`);
      await work.promise.finally(() => log.push(`${name} ends`));
    });
    done.catch(() => undefined);
    return { ...work, done };
  };
  return { log, run };
}

test('runs work with the same key one after the other, even after a failure', async () => {
  const { log, run } = start();
  const [first, second] = [run('a', 'first'), run('a', 'second')];
  second.resolve();
  first.reject(new Error('no'));
  await expect(first.done).rejects.toThrow('no');
  await second.done;
  expect(log).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
});

test('runs work with different keys at the same time', async () => {
  const { log, run } = start();
  const [first, other] = [run('a', 'first'), run('b', 'other')];
  other.resolve();
  await other.done;
  first.resolve();
  await first.done;
  expect(log).toEqual(['first starts', 'other starts', 'other ends', 'first ends']);
});

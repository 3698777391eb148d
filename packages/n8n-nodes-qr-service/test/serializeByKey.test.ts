import { inTurn } from '../nodes/shared/serializeByKey.ts';
import { deferred } from './support/deferred.ts';

function start() {
  const turns = inTurn();
  const log: string[] = [];
  const run = (id: string, name: string) => {
    const work = deferred();
    const done = turns(id, async () => {
      log.push(`${name} starts`);
      await work.promise.finally(() => log.push(`${name} ends`));
    });
    done.catch(() => undefined);
    return { ...work, done };
  };
  return { log, run };
}

test('runs work on one code in turn, even after a failure', async () => {
  const { log, run } = start();
  const [first, second] = [run('a', 'first'), run('a', 'second')];
  second.resolve();
  first.reject(new Error('no'));
  await expect(first.done).rejects.toThrow('no');
  await second.done;
  expect(log).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
});

test('runs work on different codes at the same time', async () => {
  const { log, run } = start();
  const [first, other] = [run('a', 'first'), run('b', 'other')];
  other.resolve();
  await other.done;
  first.resolve();
  await first.done;
  expect(log).toEqual(['first starts', 'other starts', 'other ends', 'first ends']);
});

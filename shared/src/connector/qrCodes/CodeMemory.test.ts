import { CodeMemory } from './CodeMemory.ts';
import { turns } from './inOrder.ts';

const URL = 'https://example.com';
const version = (at: number) => ({ id: `qr${at}`, updatedAt: '2026-01-01T00:00:00.001Z' });

it('remembers the 20,000 targets set last, and only of codes with a time', () => {
  const memory = new CodeMemory();
  for (let at = 0; at < 20_000; at++) memory.setTarget(version(at), URL);
  for (const at of [1, 20_000]) memory.setTarget(version(at), URL);
  expect([0, 1, 2].map((at) => memory.targetOf(version(at)))).toEqual([undefined, URL, URL]);
  memory.setTarget({ id: 'qr1' }, URL);
  expect(memory.targetOf({ id: 'qr1' })).toBeUndefined();
});

it('is the same for one account, and another for another key or URL', () => {
  const account = { baseUrl: 'https://a.example', apiKey: 'k' };
  const memory = CodeMemory.of(account);
  expect(CodeMemory.of({ ...account })).toBe(memory);
  for (const other of [{ apiKey: 'l' }, { baseUrl: 'https://b.example' }])
    expect(CodeMemory.of({ ...account, ...other })).not.toBe(memory);
});

it('runs work with the same key in turn, even after a failure, and other work at once', async () => {
  const inTurn = turns();
  const log: string[] = [];
  const run = (key: string, work: Promise<void>) =>
    inTurn(key, async () => {
      log.push(`${key} starts`);
      await work.finally(() => log.push(`${key} ends`));
    });
  const failing = Promise.reject(new Error('no'));
  const done = await Promise.allSettled([
    run('a', failing),
    run('a', Promise.resolve()),
    run('b', Promise.resolve()),
  ]);
  expect(done.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.slice(0, 2)).toEqual(['a starts', 'b starts']);
  expect(log.filter((entry) => entry.startsWith('a'))).toEqual(['a starts', 'a ends', 'a starts', 'a ends']);
});

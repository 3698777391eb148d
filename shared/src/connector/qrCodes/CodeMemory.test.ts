import { SAMPLE_QR_CODE } from '../../contract/fields.ts';
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

it('remembers the creations of the last ten minutes, also of thousands with one name', () => {
  const memory = new CodeMemory();
  const now = jest.spyOn(Date, 'now').mockReturnValue(0);
  const create = (id: string) =>
    memory.setCreated({ ...SAMPLE_QR_CODE, id, publicUrl: `https://r.example/${id}` }, 'Menu');
  for (let at = 0; at < 5000; at++) create(`old${at}`);
  now.mockReturnValue(1);
  create('new');
  const known = (name: string) => memory.created('name', name).map(({ id }) => id);
  now.mockReturnValue(599_999);
  expect([known('MENU').length, memory.created('id', 'old9').length]).toEqual([5001, 1]);
  now.mockReturnValue(600_000);
  expect([known('Menu'), memory.created('id', 'old9'), known('Other')]).toEqual([['new'], [], []]);
  create('newer');
  expect(known('Menu')).toEqual(['new', 'newer']);
  now.mockReturnValue(2_000_000);
  expect(known('Menu')).toEqual([]);
  now.mockRestore();
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

it.each<[when: string, abort: 'before' | 'while it waits' | 'while it runs', log: string[]]>([
  ['not at all', 'before', ['first ends', 'last starts']],
  ['not at all', 'while it waits', ['first ends', 'last starts']],
  ['to its end', 'while it runs', ['first ends', 'second starts', 'second ends', 'last starts']],
])(
  'runs work %s if its signal aborts %s, and what follows after all earlier work',
  async (_how, abort, log) => {
    const inTurn = turns();
    const seen: string[] = [];
    const stop = new AbortController();
    const { promise: first, resolve: endFirst } = Promise.withResolvers<unknown>();
    const { promise: second, resolve: endSecond } = Promise.withResolvers<unknown>();
    if (abort === 'before') stop.abort();
    const start = (name: string, work: Promise<unknown>, signal?: AbortSignal) => {
      const run = async () => {
        if (name !== 'first') seen.push(`${name} starts`);
        await work;
        if (name !== 'last') seen.push(`${name} ends`);
      };
      return inTurn('a', run, signal);
    };
    const running = start('first', first);
    const stopped = start('second', second, stop.signal).catch((error: unknown) => error);
    const following = start('last', Promise.resolve());
    stop.signal.addEventListener('abort', endSecond);
    if (abort !== 'while it runs') {
      stop.abort();
      // While the first one still runs.
      expect(await stopped).toMatchObject({ code: 'aborted', unsent: true });
      expect(seen).toEqual([]);
    }
    endFirst(undefined);
    await running;
    await new Promise(setImmediate);
    stop.abort();
    await Promise.all([stopped, following]);
    expect(seen).toEqual(log);
  },
);

import { startSimulatedTime, type SimulatedTime } from '../../../../test/support/jest/virtualTime.ts';
import type { PlatformClient } from '../../client/PlatformClient.ts';
import type { QrCode } from '../../contract/types.ts';
import { TransportError } from '../../errors/TransportError.ts';
import { CodeFinder } from './CodeFinder.ts';

const code = (id: string, more: Partial<QrCode> = {}) =>
  ({ id, name: id, publicUrl: `https://r.example/${id}`, ...more }) as QrCode;

const finderOf = (pages: () => AsyncIterable<unknown>, searchMs = Infinity) =>
  new CodeFinder({ list: () => ({ pages }) } as unknown as PlatformClient['qr'], { searchMs });

/** A list of codes, one a page, that counts what was read. The first walk fails at its end if there is a failure. */
function workspace(codes: QrCode[], failure?: Error) {
  const counts = { lists: 0, codes: 0 };
  async function* pages() {
    counts.lists += 1;
    for (const one of codes) {
      counts.codes += 1;
      yield await Promise.resolve({ rows: [one], nextCursor: 'more' });
    }
    if (failure !== undefined && counts.lists === 1) throw failure;
  }
  const finder = finderOf(pages);
  const search = async (text: string, exact = false) =>
    (await finder.search(text, { exact })).map(({ id }) => id);
  return { finder, search, counts };
}

const CODES = ['a', 'b', 'c', 'd'].map((id) => code(id));

it('looks up a short link, as far as needed, and nothing else', async () => {
  const { finder, counts } = workspace(CODES);
  expect(await finder.idOf('qr_9')).toBe('qr_9');
  expect(await finder.idOf('https://api.example/v1/public-api/qr/qr_8')).toBe('qr_8');
  expect(counts).toEqual({ lists: 0, codes: 0 });
  expect(await finder.idOf(' r.example/a/ ')).toBe('a');
  expect(await finder.idOf('r.example/c')).toBe('c');
  expect(counts).toEqual({ lists: 1, codes: 3 });
  const advice = 'Check the link, or use the ID of the QR code instead.';
  const message = 'No QR code has the short link https://…@r.example/e?….';
  const missing = finder.idOf('https://anna:hunter2@r.example/e?token=hunter2');
  await expect(missing).rejects.toMatchObject({ message, advice });
});

it('takes the code whose link has the same parameters first, then the one without any', async () => {
  const { finder } = workspace(['menu', 'menu?c=1', 'menu?c=1&d=2'].map((link) => code(link)));
  const queries = ['?utm_source=a', '?c=1&utm_source=a', '?c=1&d=2', '?ref=mail#top'];
  const found = queries.map((query) => finder.idOf(`https://R.example/menu/${query}`));
  expect(await Promise.all(found)).toEqual(['menu', 'menu?c=1', 'menu?c=1&d=2', 'menu']);
});

it('fetches a code by its ID once, and again after a failure', async () => {
  const get = jest.fn(() => Promise.resolve(code('a')));
  const finder = new CodeFinder({ get } as unknown as PlatformClient['qr']);
  get.mockRejectedValueOnce(new Error('away'));
  await expect(finder.byId('a')).rejects.toThrow('away');
  await Promise.all([finder.byId('a'), finder.byId('a')]);
  await finder.byId('a');
  expect(get).toHaveBeenCalledTimes(2);
});

describe('a search', () => {
  it('finds a code as this run has written it, if the list still shows its earlier state', async () => {
    const at = (day: number, name: string) => code('a', { name, updatedAt: `2026-01-0${day}T00:00:00.000Z` });
    const { finder, search } = workspace([at(1, 'Old')]);
    finder.add(at(2, 'New'));
    const found = [false, true].flatMap((exact) => [search('Old', exact), search('New', exact)]);
    expect(await Promise.all(found)).toEqual([[], ['a'], [], ['a']]);
    expect([await finder.byName('Old'), (await finder.byName('New'))?.id]).toEqual([undefined, 'a']);
  });

  it('finds every code that has the text among thousands, in their order, and one that is added later', async () => {
    const { finder, search } = workspace(CODES);
    await search('a');
    const hits = [0, 99, 100, 101, 2345, 2999];
    for (let at = 0; at < 3000; at++)
      finder.add(code(`n${at}`, { name: hits.includes(at) ? `Café ${at}` : 'Bar', slug: `s-${at}` }));
    const expected = hits.map((at) => `n${at}`);
    expect(await search('cafe')).toEqual(expected);
    finder.add(code('later', { slug: 'cafe' }));
    expect([await search('cafe'), await search('s-2345', true)]).toEqual([['later', ...expected], ['n2345']]);
  });

  it('compares no text across two codes, or across a name and a slug', async () => {
    const { search } = workspace([code('a', { name: 'Red', slug: 'door' }), code('b', { name: 'Menu' })]);
    const texts = ['red door', 'reddoor', 'door menu', 'doormenu'];
    expect(await Promise.all(texts.map((text) => search(text)))).toEqual([[], [], [], []]);
  });

  it.each<[string, string[], string[]]>([
    ['No 1', ['No 10', 'no 1', 'No 1', 'A no 11'], ['No 1', 'no 1', 'No 10', 'A no 11']],
    ['CAFÉ', ['cafe\u0301 bar', 'Cafe', 'café'], ['Cafe', 'café', 'cafe\u0301 bar']],
    ['cafe', ['Café', 'cafe', 'Cafe\u0301'], ['cafe', 'Café', 'Cafe\u0301']],
    [' Door ', ['Indoor', 'Door'], ['Door', 'Indoor']],
    ['İzmir', ['izmir', 'IZMIR'], ['izmir', 'IZMIR']],
    ['STRASSE', ['Straße', 'Straßen', 'Gasse'], ['Straße', 'Straßen']],
    ['(.*)', ['Any', 'Odd (.*)'], ['Odd (.*)']],
    ['a', ['a 3', 'a 1', 'a 2'], ['a 3', 'a 1', 'a 2']],
    ['\u0301', ['Any', 'Café'], []],
  ])('finds %p in %p, best match first', async (text, names, expected) =>
    expect(await workspace(names.map((name) => code(name))).search(text)).toEqual(expected),
  );

  it('by whole names finds another case only if none has this one, and no part', async () => {
    const { search } = workspace(['No 10', 'No 1', 'no 1', 'Bar'].map((name) => code(name)));
    const found = ['No 1', 'NO 1', 'BAR', 'Bär', 'No'].map((text) => search(text, true));
    expect(await Promise.all(found)).toEqual([['No 1'], ['No 1', 'no 1'], ['Bar'], [], []]);
  });

  const API_URL = 'https://api.example/v1/public-api/qr/b';
  const WAYS = ['b', 'b-slug', 'HTTPS://R.example/b/?from=print', 'r.example/b', API_URL];
  it.each(WAYS)('finds a code by the text %s, before one with that name', async (text) => {
    const codes = [code('a', { name: text }), code('b', { name: 'Door', slug: 'b-slug' }), code('c')];
    for (const exact of [true, false]) expect(await workspace(codes).search(text, exact)).toEqual(['b', 'a']);
  });

  it('finds a code by a part of its slug, also among codes that have neither name nor slug', async () => {
    const codes = [{ id: 'a' } as QrCode, code('b', { name: '', slug: 'summer-menu-7hk2' })];
    expect(await workspace(codes).search('menu')).toEqual(['b']);
  });

  it('reads the list once, and again after a failure, which fails the waiting searches', async () => {
    const { search, counts } = workspace(CODES, new Error('away'));
    const waiting = await Promise.allSettled([search('a'), search('b')]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.all([search('b'), search('c')])).toEqual([['b'], ['c']]);
    expect(counts.lists).toBe(2);
  });
});

describe('a search of at most 20 seconds', () => {
  let time: SimulatedTime;
  beforeEach(() => {
    time = startSimulatedTime();
  });
  afterEach(() => jest.restoreAllMocks());

  /** Searches pages of one code. The first page takes the first time, and all others the last. */
  function search(
    count: number,
    pageMs: number[],
    failing = 0,
    failure: 'deadline' | 'network' = 'deadline',
  ) {
    async function* pages() {
      for (let page = 1; page <= count; page++) {
        await time.wait(pageMs[page - 1] ?? pageMs.at(-1) ?? 0);
        if (page === failing) throw new TransportError('Late.', { code: failure });
        yield { rows: [code(`Door ${page}`)], ...(page < count && { nextCursor: 'more' }) };
      }
    }
    return time.run(finderOf(pages, 20_000).search('Door'));
  }

  it('finds codes on 200 fast pages, and on a single page that takes longer', async () => {
    expect(await search(200, [20])).toHaveLength(200);
    expect(await search(1, [25_000])).toHaveLength(1);
  });

  it.each<
    [string, pageMs: number[], error: string, endsAt: number, page?: number, kind?: 'deadline' | 'network']
  >([
    ['the time is over between two pages', [500], 'search_limit', 20_000],
    ['the first page takes longer', [25_000, 100], 'search_limit', 25_000],
    ["a platform's time ends first", [100], 'search_limit', 900, 9],
    ["a platform's time ends before the first page", [25_000], 'deadline', 25_000, 1],
    ['the first page is lost', [25_000], 'network', 25_000, 1, 'network'],
    ['a later page is lost', [100], 'network', 300, 3, 'network'],
  ])('fails with the reason if %s', async (_when, pageMs, error, endsAt, page = 0, kind = 'deadline') => {
    await expect(search(1000, pageMs, page, kind)).rejects.toMatchObject({ code: error });
    expect(time.elapsed()).toBe(endsAt);
  });
});

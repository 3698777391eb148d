import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/virtualTime.ts';
import type { QrServiceClient } from '../client/QrServiceClient.ts';
import type { QrCode } from '../contract/types.ts';
import { TransportError } from '../errors/QrServiceError.ts';
import { CodeFinder } from './CodeFinder.ts';

const code = (id: string, more: Partial<QrCode> = {}) =>
  ({ id, name: id, publicUrl: `https://r.example/${id}`, ...more }) as QrCode;

const listing = (pages: () => AsyncIterable<unknown>) =>
  ({ list: () => ({ pages }) }) as unknown as QrServiceClient['qr'];

/** A list of codes, one a page, that counts what was read. The first walks fail at their ends. */
function workspace(codes: QrCode[], failures: Error[] = []) {
  const counts = { lists: 0, codes: 0 };
  async function* pages() {
    counts.lists += 1;
    for (const one of codes) {
      counts.codes += 1;
      yield await Promise.resolve({ rows: [one], nextCursor: 'more' });
    }
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  }
  const finder = new CodeFinder(listing(pages));
  const search = async (text: string, exact = false) =>
    (await finder.search(text, { exact })).map(({ id }) => id);
  return { finder, search, counts };
}

const CODES = ['a', 'b', 'c', 'd'].map((id) => code(id));

describe('idOf', () => {
  it('looks up a short link, as far as needed, and nothing else', async () => {
    const { finder, counts } = workspace(CODES);
    expect(await finder.idOf('qr_9')).toBe('qr_9');
    expect(await finder.idOf('https://api.example/v1/public-api/qr/qr_8')).toBe('qr_8');
    expect(counts).toEqual({ lists: 0, codes: 0 });
    expect(await finder.idOf(' r.example/a/ ')).toBe('a');
    expect(await finder.idOf('r.example/c')).toBe('c');
    expect(counts).toEqual({ lists: 1, codes: 3 });
  });

  it('throws with the short link if no code has it, without the parts that may be secret', async () => {
    const link = 'https://anna:hunter2@r.example/a?token=hunter2';
    await expect(workspace([]).finder.idOf(link)).rejects.toMatchObject({
      code: 'not_found',
      message: 'No QR code has the short link https://…@r.example/a?….',
      advice: 'Check the link, or use the ID of the QR code instead.',
    });
  });

  it('takes the code with the same parameters first, then the one without any', async () => {
    const links = ['menu', 'menu?c=1', 'menu?c=1&d=2', '%C3%A9t%C3%A9'];
    const { finder } = workspace(links.map((link) => code(link)));
    const queries = ['?utm_source=a&UTM_medium=b', '?c=1&utm_source=a', '?c=1&d=2', '?ref=mail#top'];
    const found = queries.map((query) => finder.idOf(`https://R.example/menu/${query}`));
    expect(await Promise.all(found)).toEqual(['menu', 'menu?c=1', 'menu?c=1&d=2', 'menu']);
    expect(await finder.idOf('r.example/e\u0301te\u0301')).toBe('%C3%A9t%C3%A9');
  });
});

it('fetches a code by its ID once, and again after a failure', async () => {
  const get = jest.fn(() => Promise.resolve(code('a')));
  const finder = new CodeFinder({ get } as unknown as QrServiceClient['qr']);
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
    expect([await search('Old'), await search('New')]).toEqual([[], ['a']]);
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

  it.each([
    ['its ID', 'b'],
    ['its slug', 'b-slug'],
    ['its short link', 'HTTPS://R.example/b/?from=print'],
    ['its printed link', 'r.example/b'],
    ['its URL in the API', 'https://api.example/v1/public-api/qr/b'],
  ])('finds a code by %s, before one with that name', async (_how, text) => {
    const codes = [code('a', { name: text }), code('b', { name: 'Door', slug: 'b-slug' }), code('c')];
    for (const exact of [true, false]) expect(await workspace(codes).search(text, exact)).toEqual(['b', 'a']);
  });

  it('finds a code by a part of its slug, also among codes that have neither name nor slug', async () => {
    const codes = [{ id: 'a' } as QrCode, code('b', { name: '', slug: 'summer-menu-7hk2' })];
    expect(await workspace(codes).search('menu')).toEqual(['b']);
  });

  it('reads the list once, and again after a failure, which fails the waiting searches', async () => {
    const { search, counts } = workspace(CODES, [new Error('away')]);
    const waiting = await Promise.allSettled([search('a'), search('b')]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.all([search('b'), search('c')])).toEqual([['b'], ['c']]);
    expect(counts.lists).toBe(2);
  });
});

describe('a search with a time limit', () => {
  let time: SimulatedTime;
  beforeEach(() => {
    time = startSimulatedTime();
  });
  afterEach(() => jest.restoreAllMocks());

  /** Searches pages of one code. The nth page takes the nth time, and all later ones the last. */
  function search(count: number, pageMs: number[], fail?: (page: number) => Error | undefined) {
    async function* pages() {
      for (let page = 1; page <= count; page++) {
        await time.wait(pageMs[Math.min(page, pageMs.length) - 1] ?? 0);
        const failure = fail?.(page);
        if (failure !== undefined) throw failure;
        yield { rows: [code(`Door ${page}`)], ...(page < count && { nextCursor: 'more' }) };
      }
    }
    return time.run(new CodeFinder(listing(pages), { searchMs: 20_000 }).search('Door'));
  }

  it('finds codes on 200 fast pages, and on a single page that takes longer', async () => {
    expect(await search(200, [20])).toHaveLength(200);
    expect(await search(1, [25_000])).toHaveLength(1);
  });

  const late = (kind: 'deadline' | 'network') => new TransportError('Late.', { kind });
  it.each([
    { when: 'the time is over between two pages', pageMs: [500], endsAt: 20_000 },
    { when: 'the first page takes longer', pageMs: [25_000, 100], endsAt: 25_000 },
    { when: "a platform's time ends first", pageMs: [100], cutPage: 9, endsAt: 900 },
  ])('fails for good if $when', async ({ pageMs, cutPage, endsAt }) => {
    const fail = (page: number) => (page === cutPage ? late('deadline') : undefined);
    await expect(search(1000, pageMs, fail)).rejects.toMatchObject({
      name: 'ParameterError',
      code: 'search_limit',
      message: 'This workspace has more QR codes than can be searched in 20 seconds.',
      advice: "Use the QR code's ID.",
    });
    expect(time.elapsed()).toBe(endsAt);
  });

  it.each([
    ['deadline', 1, 25_000],
    ['network', 1, 25_000],
    ['network', 3, 100],
  ] as const)('passes on a %s error of page %i', async (kind, at, ms) => {
    const fail = (page: number) => (page === at ? late(kind) : undefined);
    await expect(search(9, [ms], fail)).rejects.toMatchObject({ kind });
  });
});

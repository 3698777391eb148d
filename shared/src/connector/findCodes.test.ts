import { startSimulatedTime, type SimulatedTime } from '../../../test/support/jest/simulatedTime.ts';
import { QrServiceClient } from '../client/QrServiceClient.ts';
import type { TransportRequest } from '../client/transport.ts';
import type { QrCode } from '../contract/types.ts';
import { ApiError } from '../errors/ApiError.ts';
import { TransportError } from '../errors/TransportError.ts';
import { newestFirst } from './newestFirst.ts';
import { isTooMuch } from './searchPages.ts';
import {
  codeSearch,
  hasName,
  hasShortLink,
  hasStatus,
  matchingCodes,
  resolveCodeId,
  shortLinkSearch,
  type CodeLister,
  type SearchOptions,
} from './findCodes.ts';

const code = (id: string, more: Partial<QrCode> = {}) =>
  ({ id, name: id, publicUrl: `https://r.example/${id}`, ...more }) as QrCode;

/** A workspace that counts the codes that were read from its list. */
function workspace(codes: QrCode[], failures: Error[] = []) {
  const counts = { lists: 0, codes: 0 };
  async function* read() {
    counts.lists += 1;
    for (const one of codes) {
      counts.codes += 1;
      yield await Promise.resolve(one);
    }
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  }
  async function* pages() {
    for await (const one of read()) yield { rows: [one] };
  }
  const list = () => ({ pages, [Symbol.asyncIterator]: read });
  const client = { qr: { list } } as unknown as CodeLister;
  return { client, counts };
}

const CODES = ['a', 'b', 'c', 'd'].map((id) => code(id));
const all = async (found: AsyncIterable<QrCode>) => {
  const ids: string[] = [];
  for await (const { id } of found) ids.push(id);
  return ids;
};

describe('matchingCodes', () => {
  const { client } = workspace(CODES);

  it('returns every match in the order of the list', async () => {
    expect(await all(matchingCodes(client, ({ id }) => 'db'.includes(id)))).toEqual(['b', 'd']);
    expect(await all(matchingCodes(client, () => false))).toEqual([]);
  });
});

it.each<[string[], unknown, boolean]>([
  [[], 'draft', true],
  [[' '], 'draft', true],
  [['Draft', ''], 'draft', true],
  [['Draft'], 'published', false],
  [['Draft'], undefined, true],
])('with the statuses %j, a code with the status %j matches: %p', (statuses, status, matches) =>
  expect(hasStatus(statuses)({ status })).toBe(matches),
);

it('matches an exact name in either Unicode form', () => {
  expect(hasName(' Cafe\u0301')(code('a', { name: 'Caf\u00e9' }))).toBe(true);
  expect(hasName('Cafe')(code('a', { name: 'Caf\u00e9' }))).toBe(false);
});

it('sorts rows by time, newest first', () => {
  const rows = [{ id: 1 }, { id: 2, at: '2026-01-01' }, { id: 3, at: '2026-01-02' }, { id: 4, at: '-' }];
  expect(newestFirst(rows, ({ at }) => at).map(({ id }) => id)).toEqual([3, 2, 1, 4]);
});

const throttled = (status: number) =>
  new ApiError({ status, code: 'x', message: '', method: 'GET', path: '/qr', retryable: true });
const late = new TransportError('Late.', { kind: 'deadline' });
it.each<[unknown, number, limit: number | undefined, boolean]>([
  [late, 1, undefined, true],
  [late, 0, undefined, false],
  [new TransportError('No.', { kind: 'network' }), 1, 1, false],
  [new Error('No.'), 1, 1, false],
  [throttled(429), 8, 10, true],
  [throttled(429), 7, 10, false],
  [throttled(429), 8, undefined, false],
  [throttled(503), 8, 10, false],
])('%p after %p requests of %p is too much: %p', (error, requests, limit, expected) =>
  expect(isTooMuch(error, requests, limit === undefined ? limit : { limit, remaining: 0, resetAt: 0 })).toBe(
    expected,
  ),
);

describe('a search with a time limit', () => {
  let time: SimulatedTime;
  beforeEach(() => {
    time = startSimulatedTime();
  });
  afterEach(() => jest.restoreAllMocks());

  /** A workspace of 100 codes per page. The nth page takes the nth time, and all later ones the last. */
  function slowWorkspace(pages: number, pageMs: number[], fail?: (page: number) => Error | undefined) {
    const transport = async ({ url, signal }: TransportRequest) => {
      const page = Number(new URL(url).searchParams.get('cursor') ?? 1);
      const canceled = new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('canceled')));
      });
      await Promise.race([time.wait(pageMs[Math.min(page, pageMs.length) - 1] ?? 0), canceled]);
      const failure = fail?.(page);
      if (failure !== undefined) throw failure;
      const data = Array.from({ length: 100 }, (_, index) => code(`qr_${page}_${index}`));
      const pagination = { nextCursor: page < pages ? String(page + 1) : null };
      return { status: 200, headers: {}, body: JSON.stringify({ data, pagination }) };
    };
    return new QrServiceClient({ baseUrl: 'https://api.example', apiKey: 'qrs_key', transport });
  }
  const searchMs = 20_000;
  const search = (client: QrServiceClient, signal?: AbortSignal) =>
    time.run(
      all(matchingCodes(client, ({ id }) => id.endsWith('_99'), { searchMs, ...(signal && { signal }) })),
    );

  it.each([
    ['5,000 codes on fast pages', 50, [20]],
    ['20,000 codes on fast pages', 200, [20]],
    ['a single page that takes longer', 1, [25_000]],
  ])('finds codes among %s', async (_what, pages, pageMs) => {
    expect(await search(slowWorkspace(pages, pageMs))).toHaveLength(pages);
  });

  const late = (kind: 'deadline' | 'network') => () => new TransportError('Late.', { kind });
  it.each([
    { when: 'the time is over between two pages', pageMs: [500], endsAt: searchMs },
    { when: 'the time is over during a page', pageMs: [300, 60_000], endsAt: searchMs },
    { when: 'the first page takes longer', pageMs: [25_000, 100], endsAt: 25_000 },
    { when: "a platform's time ends first", pageMs: [100], cutPage: 9, endsAt: 900 },
  ])('fails for good if $when', async ({ pageMs, cutPage, endsAt }) => {
    const fail = (page: number) => (page === cutPage ? late('deadline')() : undefined);
    await expect(search(slowWorkspace(1000, pageMs, fail))).rejects.toMatchObject({
      name: 'ParameterError',
      code: 'search_limit',
      message: 'This workspace has more QR codes than can be searched in 20 seconds.',
      advice: "Use the QR code's ID.",
    });
    expect(time.elapsed()).toBe(endsAt);
  });

  it.each(['deadline', 'network'] as const)('passes on a %s error of the first page', async (kind) => {
    await expect(search(slowWorkspace(9, [25_000], late(kind)))).rejects.toMatchObject({ kind });
  });

  it('passes on that it was canceled', async () => {
    const controller = new AbortController();
    time.after(1000, () => controller.abort());
    await expect(search(slowWorkspace(999, [300]), controller.signal)).rejects.toMatchObject({
      kind: 'aborted',
    });
  });
});

describe('hasShortLink', () => {
  it.each([
    ['HTTPS://R.example/a/?from=print', true],
    ['r.example/a', true],
    ['a', true],
    ['https://api.example/v1/public-api/qr/a', true],
    ['r.example/b', false],
    ['b', false],
  ])('matches the code by %s: %p', (link, expected) => {
    expect(hasShortLink(link)(code('a'))).toBe(expected);
  });
});

describe('codeSearch', () => {
  const search = (codes: QrCode[], text: string, options?: SearchOptions) =>
    codeSearch(workspace(codes).client)(text, options);
  const names = async (text: string, given: string[], options?: SearchOptions) => {
    const codes = given.map((name, index) => code(`qr_${index}`, { name }));
    return (await search(codes, text, options)).map(({ name }) => name);
  };

  it.each([
    [
      'Table 1',
      ['Table 10', 'table 1', 'Table 1', 'A table 11'],
      ['Table 1', 'table 1', 'Table 10', 'A table 11'],
    ],
    ['CAFÉ', ['cafe\u0301 bar', 'Cafe', 'café'], ['Cafe', 'café', 'café bar']],
    ['cafe', ['Café', 'cafe', 'Cafe\u0301'], ['cafe', 'Café', 'Café']],
    [' Door ', ['Indoor', 'Door'], ['Door', 'Indoor']],
    ['İzmir', ['izmir', 'IZMIR'], ['izmir', 'IZMIR']],
    ['STRASSE', ['Straße', 'Straßen', 'Gasse'], ['Straße', 'Straßen']],
    ['(.*)', ['Any', 'Odd (.*)'], ['Odd (.*)']],
    ['Gone', ['Any'], []],
    ['\u0301', ['Any', 'Café'], []],
  ])('finds %p in %p, best match first', async (text, given, expected) => {
    expect((await names(text, given)).map((name) => name.normalize('NFC'))).toEqual(expected);
  });

  it('finds no deleted codes', async () => {
    const codes = ['deleted', 'archived'].map((status) => code(status, { name: 'Door', status }));
    expect((await search(codes, 'Door')).map(({ id }) => id)).toEqual(['archived']);
  });

  it('keeps the order of the list among equal matches', async () => {
    expect(await names('a', ['a 3', 'a 1', 'a 2'])).toEqual(['a 3', 'a 1', 'a 2']);
  });

  it.each([
    ['Table 1', ['Table 1']],
    ['table 1', []],
    ['Table', []],
  ])('finds only exact names if requested: %p', async (text, expected) => {
    expect(await names(text, ['Table 10', 'Table 1'], { exact: true })).toEqual(expected);
  });

  it.each([
    ['its ID', 'b'],
    ['its slug', 'b-slug'],
    ['its short link', 'HTTPS://R.example/b/?from=print'],
    ['its printed link', 'r.example/b'],
    ['its URL in the API', 'https://api.example/v1/public-api/qr/b'],
  ])('finds a code by %s, before one with that name', async (_how, text) => {
    const codes = [code('a', { name: text }), code('b', { name: 'Door', slug: 'b-slug' }), code('c')];
    for (const exact of [true, false])
      expect((await search(codes, text, { exact })).map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('finds a code by a part of its slug, also among codes that have neither name nor slug', async () => {
    const bare = { id: 'a' } as QrCode;
    const codes = [bare, code('b', { name: '', slug: 'summer-menu-7hk2' })];
    expect(await search(codes, 'menu')).toMatchObject([{ id: 'b' }]);
  });

  it("reads the list once, and each code's fields once", async () => {
    let reads = 0;
    const counting = {
      id: 'a',
      get name() {
        reads += 1;
        return 'Table 1';
      },
    } as QrCode;
    const { client, counts } = workspace([counting]);
    const searchAgain = codeSearch(client);
    await Promise.all([searchAgain('Table 1'), searchAgain('Table 2')]);
    const before = reads;
    expect(await searchAgain('TABLE')).toEqual([counting]);
    expect([counts.lists, reads]).toEqual([1, before]);
  });

  it('after a failure, fails the waiting searches and reads the list again for later ones', async () => {
    const { client, counts } = workspace(CODES, [new Error('away')]);
    const searchAgain = codeSearch(client);
    const waiting = await Promise.allSettled([searchAgain('a'), searchAgain('b')]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await searchAgain('b')).toMatchObject([{ id: 'b' }]);
    expect(counts.lists).toBe(2);
  });
});

describe('resolveCodeId', () => {
  const finder = shortLinkSearch;
  it('looks up a short link, and nothing else', async () => {
    const { client, counts } = workspace(CODES);
    const find = finder(client);
    expect(await resolveCodeId('qr_9', find)).toBe('qr_9');
    expect(await resolveCodeId('https://api.example/v1/public-api/qr/qr_8', find)).toBe('qr_8');
    expect(counts).toEqual({ lists: 0, codes: 0 });
    expect(await resolveCodeId(' r.example/a/ ', find)).toBe('a');
    expect(await resolveCodeId('r.example/c', find)).toBe('c');
    expect(counts).toEqual({ lists: 2, codes: 4 });
  });

  it('throws with the short link if no code has it', async () => {
    await expect(resolveCodeId('r.example/nobody', finder(workspace(CODES).client))).rejects.toMatchObject({
      code: 'not_found',
      message: 'No QR code has the short link r.example/nobody.',
      advice: 'Check the link, or use the ID of the QR code instead.',
    });
  });
});

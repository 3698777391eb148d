import type { QrCode } from '../contract/types.ts';
import {
  hasName,
  hasShortLink,
  matchingCodes,
  resolveCodeId,
  shortLinkIndex,
  shortLinkSearch,
  type CodeLister,
} from './findCodes.ts';

const code = (id: string, more: Partial<QrCode> = {}) =>
  ({ id, name: id, publicUrl: `https://r.example/${id}`, ...more }) as QrCode;

/** A workspace that counts the codes that were read from its list. */
function workspace(codes: QrCode[], failures: Error[] = []) {
  const counts = { lists: 0, codes: 0 };
  async function* list() {
    counts.lists += 1;
    for (const one of codes) {
      counts.codes += 1;
      yield await Promise.resolve(one);
    }
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  }
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

  it('fails when none of the first codes matches and there are more', async () => {
    await expect(all(matchingCodes(client, hasName('d'), { maxCodes: 3 }))).rejects.toMatchObject({
      code: 'search_limit',
      message: 'None of the first 3 QR codes matches, and the workspace has more.',
    });
  });

  it('returns what it found among the first codes', async () => {
    expect(await all(matchingCodes(client, hasName('b'), { maxCodes: 3 }))).toEqual(['b']);
    expect(await all(matchingCodes(client, hasName('d'), { maxCodes: 4 }))).toEqual(['d']);
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

describe.each([
  ['shortLinkSearch', shortLinkSearch, { lists: 2, codes: 4 }],
  ['shortLinkIndex', shortLinkIndex, { lists: 1, codes: 4 }],
])('resolveCodeId with %s', (_name, finder, read) => {
  it('looks up a short link, and nothing else', async () => {
    const { client, counts } = workspace(CODES);
    const find = finder(client);
    expect(await resolveCodeId('qr_9', find)).toBe('qr_9');
    expect(await resolveCodeId('https://api.example/v1/public-api/qr/qr_8', find)).toBe('qr_8');
    expect(counts).toEqual({ lists: 0, codes: 0 });
    expect(await resolveCodeId(' r.example/a/ ', find)).toBe('a');
    expect(await resolveCodeId('r.example/c', find)).toBe('c');
    expect(counts).toEqual(read);
  });

  it('names a short link that no code has', async () => {
    await expect(resolveCodeId('r.example/nobody', finder(workspace(CODES).client))).rejects.toMatchObject({
      code: 'not_found',
      message: 'No QR code has the short link r.example/nobody.',
      advice: 'Check the link, or use the ID of the QR code instead.',
    });
  });
});

it('after a failure, lookups that waited fail too and later ones read the list anew', async () => {
  const { client, counts } = workspace(CODES, [new Error('away')]);
  const find = shortLinkIndex(client);
  const waiting = await Promise.allSettled([find('r.example/a'), find('r.example/b')]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('r.example/b')).toBe('b');
  expect(counts.lists).toBe(2);
});

import { fc } from '../../../test/support/fastCheck.ts';
import { AllowedTargets } from './AllowedTargets.ts';

const LIST = 'example.com, *.shop.example bücher.example\nhttp://local.example:8080 http://127.0.0.1';

/** What is sent for an address; undefined if it is refused. */
function sent(url: string, list = LIST): string | undefined {
  try {
    return new AllowedTargets(list).check(url);
  } catch (error) {
    expect(error).toMatchObject({ code: 'target_not_allowed' });
    return undefined;
  }
}

const oneOf = fc.constantFrom<string[]>;
const words = (text: string) => text.split(/\s+/);
const raw = (text: TemplateStringsArray) => words(String.raw(text));
const USERS = raw`@ u@ u:p@ :p@ example.com@ example.com\@ example.com/@ example.com%40 example.com#@`;
const ENDS = raw`/ /menu?x#y \evil.test ?u=https://evil.test #//evil.test @evil.test .evil.test`;
const HOSTS =
  words(`example.com EXAMPLE.com example.com. example.com.. example。com ex%61mple.com ｅxample.com
  exa\u00ADmple.com evil.test example.com.evil.test evil-example.com xexample.com example.co
  a.shop.example a.b.SHOP.example. shop.example .shop.example xshop.example bücher.example
  xn--bcher-kva.example bucher.example 127.0.0.1 0x7f.1 2130706433 017700000001 [::1] [::ffff:127.0.0.1]
  example.com%2eevil.test example.com。evil.test example.com;evil.test example.com%00.evil.test
  example.com%2f.evil.test local.example exаmple.com`);
const SPELLINGS = fc
  .tuple(
    oneOf('', '', ' ', '\0', '\n'),
    oneOf(...words('https: https: HTTPS: hTTps: http: ftp: javascript: blob:https: tel:')),
    oneOf('//', '//', '/', '', '\\\\', '/\\', '///', '\\/\\/', '//\t/'),
    oneOf('', '', ...USERS),
    oneOf(...HOSTS),
    oneOf('', '', ':443', ':0443', ':', ':80', ':8443', ':8080'),
    oneOf('', ...ENDS),
    fc.array(fc.tuple(fc.nat(30), oneOf('\t', '\n', '\r')), { maxLength: 2 }),
  )
  .map(([...parts]) => {
    const dirt = parts.pop() as [number, string][];
    return dirt.reduce((text, [at, what]) => text.slice(0, at) + what + text.slice(at), parts.join(''));
  });

/** Whether the list allows what a browser opens. */
function mayOpen({ protocol, hostname, port, username, password }: URL): boolean {
  const origin = `${protocol}//${hostname.replace(/\.$/, '')}:${port}`;
  const isListed =
    /^https:\/\/(example\.com|[^.].*\.shop\.example|xn--bcher-kva\.example):$/.test(origin) ||
    ['http://local.example:8080', 'http://127.0.0.1:'].includes(origin);
  return isListed && username + password === '';
}

it('allows exactly the spellings of allowed destinations, and sends what every browser takes for the same', () => {
  const counts = { allowed: 0, refused: 0 };
  const check = (text: string) => {
    const url = sent(text);
    counts[url === undefined ? 'refused' : 'allowed'] += 1;
    if (URL.canParse(text)) expect([text, url !== undefined]).toEqual([text, mayOpen(new URL(text))]);
    if (url === undefined) return;
    // After a redirect, too.
    for (const base of [undefined, 'https://go.example/x', 'http://evil.test/y'])
      expect([text, mayOpen(new URL(url, base))]).toEqual([text, true]);
    if (url.startsWith('http')) expect(url).toContain(`${new URL(url).origin}/`);
    expect(sent(url)).toBe(url);
  };
  fc.assert(fc.property(SPELLINGS, check), { numRuns: 2000 });
  expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(100);
});

it('allows the paths below a prefix, and none that a server may decode to another', () => {
  const segment = oneOf(
    '',
    ...raw`menu menu %6denu menus MENU .. . %2e%2E .%2e ..%2f %2e%2e%5cx a%20b x ..\ ..; ..;a=b
      %252e%252e%252f %25252e%25252e%25252fx 100%25 %2fmenu`,
  );
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const { href, pathname } = new URL(`https://example.com/menu/${segments.join('/')}`);
      // What the browser sends, and what servers may make of it.
      const forms = [pathname];
      for (let times = 0; times < 4; times++)
        forms.push(decodeURIComponent(forms.at(-1)!.replaceAll(/%(?![\da-f]{2})/gi, '%25')));
      const isBelow = forms.every((path) => /^\/menu(\/|$)/.test(path));
      // Some servers drop parameters.
      const goesUp = forms.some((path) => path.split(/[\\/]/).some((part) => /^\.\.(;|$)/.test(part)));
      const isAllowed = sent(href, 'example.com/menu/') !== undefined;
      if (isAllowed || !/%|;/.test(pathname)) expect([href, isAllowed]).toEqual([href, isBelow && !goesUp]);
    }),
    { numRuns: 1000 },
  );
});

test.each<[list: string, allowed: string, refused: string]>([
  ['*.example.com', 'https://a.b.example.com', 'https://example.com'],
  ['http://example.com', 'http://example.com:80', 'https://example.com'],
  ['example.com:8443', 'https://example.com:8443/', 'https://example.com'],
  ['https://intranet', 'https://intranet/a', 'http://intranet'],
  ['EXAMPLE.com./Menu', 'https://example.com/Menu', 'https://example.com/menu'],
  ['example.com/menu', 'https://example.com/menu/a%20b', 'https://example.com/menu/a%2Fb'],
  ['example.com/ü', 'https://example.com/ü/x', 'https://example.com/u'],
  ['example.com/a example.com/b', 'https://example.com/b', 'https://example.com/c'],
  ['[::1]; b.example', 'https://[0:0::1]/', 'https://[::2]/'],
])('%s allows %s, but not %s', (list, allowed, refused) => {
  expect([sent(allowed, list), sent(refused, list)]).toEqual([new URL(allowed).href, undefined]);
});

const NO_ENTRIES = raw`*.*.com a*.example.com https: javascript: ftp://a.example a.example:x
  u@a.example .a.example a..example "a.example" (a.example) a.example=1 intent: ,; a.example?x a.example#x
  a.example\x //a.example https:// - tel: mailto:a@b.example`;
test.each<[list: string, message: RegExp]>([
  ['example.com, *', /^Entry 2 of allowedTargets isn't valid\. Use .* leave the list empty\.$/],
  ['a.example\n\n,b.example com', /^Entry 3 .* https:\/\/intranet\. /],
  ...['# a.example', ...NO_ENTRIES].map((entry) => [entry, /^Entry 1 .* isn't valid\. /] as [string, RegExp]),
])('refuses the list %j', (list, pattern) => {
  const message = expect.stringMatching(pattern) as string;
  const error = expect.objectContaining({ code: 'invalid_input', message }) as Error;
  expect(() => new AllowedTargets(list)).toThrow(error);
});

test.each<[content: Record<string, unknown>, what: string]>([
  [{ targetUrl: 'https://evil.test/secret?key=1' }, 'evil.test'],
  [{ targetUrl: 'http://example.com' }, 'http://example.com'],
  [{ targetUrl: 'https://u:p@shop.test/a' }, 'shop.test with a user name'],
  [{ targetUrl: 'https://shop.test/other' }, 'This path on shop.test'],
  [{ targetUrl: 'javascript:alert(1)' }, 'An address with javascript:'],
  [{ targetUrl: '[' }, 'An invalid address'],
  ...[
    { text: 'https://example.com' },
    { targetUrl: 'https://example.com', menuUrl: 'https://evil.test' },
    {},
    { url: 'https://example.com' },
    { targetUrl: ['https://example.com'] },
    { targetUrl: new String('https://evil.test') },
  ].map((content): [Record<string, unknown>, string] => [content, 'Content other than a URL']),
])('says why %j is refused, without the whole address or the list', (content, what) => {
  const error = expect.objectContaining({ message: `${what} isn't an allowed destination.` }) as Error;
  expect(() => new AllowedTargets(['example.com', 'shop.test/a']).checkContent(content)).toThrow(error);
  expect(new AllowedTargets().checkContent(content)).toBe(content);
});

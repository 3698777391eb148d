import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { checkWebhookUrl, isPrivateAddress } from './checkWebhookUrl.ts';

const PRIVATE_V4 = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.88.99.1',
  '192.168.1.2',
  '198.18.0.1',
  '198.19.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];
const PUBLIC_V4 = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '198.17.255.255',
  '198.20.0.0',
  '203.0.112.255',
  '223.255.255.255',
];
const PRIVATE_V6 = [
  '::',
  '::1',
  '64:ff9b:1::1',
  '64:ff9b:1:ffff::5db8:d822',
  '100::1',
  '2001:2::1',
  '2001:2:0:ffff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
];
const PUBLIC_V6 = [
  '2001:2:1::1',
  '2606:2800:220:1::1',
  '2001:4860:4860::8888',
  '2a00:1450:4001:800::200e',
  'fbff::1',
];

/** The two groups of an IPv6 address that embed an IPv4 address. */
function inHex(v4: string, change = (byte: number) => byte): string {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map((byte) => change(Number(byte)));
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** Every spelling of an IPv4 address that URL parsers accept. */
const SPELLINGS: [string, (v4: string) => string][] = [
  ['itself', (v4) => v4],
  ['with a trailing dot', (v4) => `${v4}.`],
  ['as a single number', (v4) => String(v4.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0))],
  [
    'in hex',
    (v4) =>
      v4
        .split('.')
        .map((byte) => `0x${Number(byte).toString(16)}`)
        .join('.'),
  ],
  [
    'in octal',
    (v4) =>
      v4
        .split('.')
        .map((byte) => `0${Number(byte).toString(8)}`)
        .join('.'),
  ],
];

/** IPv6 addresses that embed an IPv4 address. */
const INSIDE: [string, (v4: string) => string][] = [
  ['IPv4-mapped', (v4) => `::ffff:${v4}`],
  ['IPv4-mapped, in hex', (v4) => `::ffff:${inHex(v4)}`],
  ['IPv4-mapped, in full', (v4) => `0:0:0:0:0:FFFF:${v4}`],
  ['IPv4-compatible', (v4) => `::${v4}`],
  ['IPv4-compatible, in hex', (v4) => `::${inHex(v4)}`],
  ['translated', (v4) => `::ffff:0:${v4}`],
  ['NAT64', (v4) => `64:ff9b::${v4}`],
  ['NAT64, in hex', (v4) => `64:ff9b:0:0:0:0:${inHex(v4)}`],
  ['6to4', (v4) => `2002:${inHex(v4)}::1`],
  ['Teredo server', (v4) => `2001:0:${inHex(v4)}::a247:2721`],
  ['Teredo client', (v4) => `2001:0:41d0:2::${inHex(v4, (byte) => byte ^ 255)}`],
];

/** URLs can't contain a zone. */
const withoutZone = (v6: string) => v6.split('%')[0]!;
const isRefused = (host: string) => checkWebhookUrl(`https://${host}/hook`) !== undefined;

describe('private addresses are refused, public ones accepted', () => {
  it.each(SPELLINGS)('as an IPv4 address %s', (_what, spell) => {
    for (const v4 of PRIVATE_V4)
      expect([v4, isPrivateAddress(spell(v4)), isRefused(spell(v4))]).toEqual([v4, true, true]);
    for (const v4 of PUBLIC_V4)
      expect([v4, isPrivateAddress(spell(v4)), isRefused(spell(v4))]).toEqual([v4, false, false]);
  });

  it.each(INSIDE)('as an IPv4 address embedded in an IPv6 address: %s', (_what, put) => {
    for (const v4 of PRIVATE_V4) {
      for (const v6 of [put(v4), `[${put(v4)}]`, `[${put(v4)}%1]`])
        expect([v6, isPrivateAddress(v6)]).toEqual([v6, true]);
      expect([v4, isRefused(`[${put(v4)}]`)]).toEqual([v4, true]);
    }
    for (const v4 of PUBLIC_V4)
      expect([v4, isPrivateAddress(put(v4)), isRefused(`[${put(v4)}]`)]).toEqual([v4, false, false]);
  });

  it.each(PRIVATE_V6)('%s', (v6) => {
    for (const spelled of [v6, `[${v6}]`, v6.toUpperCase()]) expect(isPrivateAddress(spelled)).toBe(true);
    expect(isRefused(`[${withoutZone(v6)}]`)).toBe(true);
  });

  it.each(PUBLIC_V6)('%s', (v6) => {
    expect(isPrivateAddress(v6)).toBe(false);
    expect(isRefused(`[${v6}]`)).toBe(false);
  });

  it('in the same way for all spellings of one address', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
        const v4 = bytes.join('.');
        const all = [...SPELLINGS, ...INSIDE].map(([, spell]) => isPrivateAddress(spell(v4)));
        expect(new Set(all).size).toBe(1);
      }),
      { numRuns: runs(50, 1000) },
    );
  });
});

describe('checkWebhookUrl', () => {
  it.each(['https://hooks.example.com/a?b=c', 'https://hooks.example.com./', 'https://a.10.example.com/'])(
    'accepts %s',
    (url) => expect(checkWebhookUrl(url)).toBeUndefined(),
  );

  it.each([
    'no url',
    'http://hooks.example.com/',
    'https://localhost/',
    'https://n8n/',
    'https://n8n.local/',
    'https://printer.localhost./',
    'https://printer.local../',
    'https://127.1:5678/',
    'https://2130706433/',
    'https://[::127.0.0.1]/',
    'https://192.0.2.1/',
    'https://198.51.100.7/',
    'https://203.0.113.9/',
    'https://[::ffff:203.0.113.9]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
  ])('refuses %s with a reason', (url) => expect(checkWebhookUrl(url)).toMatch(/\.$/));
});

/**
 * IANA's special-purpose registries: for each range that isn't globally reachable, its first and last address, and the
 * public addresses just outside of it, where there are any.
 */
const RESERVED: [name: string, first: string, last: string, ...outside: string[]][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/3', '224.0.0.0', '255.255.255.255', '223.255.255.255'],
  ['::/128', '::', '::'],
  ['::1/128', '::1', '::1'],
  ['::/96 with 10.0.0.0/8', '::a00:0', '::aff:ffff', '::9ff:ffff', '::b00:0'],
  ['::ffff:0:0/96 with 10.0.0.0/8', '::ffff:a00:0', '::ffff:aff:ffff', '::ffff:9ff:ffff', '::ffff:b00:0'],
  [
    '::ffff:0:0:0/96 with 10.0.0.0/8',
    '::ffff:0:a00:0',
    '::ffff:0:aff:ffff',
    '::ffff:0:9ff:ffff',
    '::ffff:0:b00:0',
  ],
  [
    '64:ff9b::/96 with 10.0.0.0/8',
    '64:ff9b::a00:0',
    '64:ff9b::aff:ffff',
    '64:ff9b::9ff:ffff',
    '64:ff9b::b00:0',
  ],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '64:ff9b:2::'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff', 'ff:ffff::'],
  ['100:0:0:1::/64', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff', '100:0:0:2::'],
  [
    '2001::/32 of 10.0.0.0/8',
    '2001:0:a00:0::a247:2721',
    '2001:0:aff:ffff::a247:2721',
    '2001:0:9ff:ffff::a247:2721',
  ],
  ['2001:2::/48', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', '2001:2:1::'],
  ['2001:10::/28', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', '2001:f:ffff::', '2001:20::'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  [
    '2002::/16 with 10.0.0.0/8',
    '2002:a00::',
    '2002:aff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2002:9ff:ffff::',
    '2002:b00::',
  ],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '5eff:ffff::', '5f01::'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fbff:ffff::', 'fe00::'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe7f:ffff::'],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

it.each(RESERVED)('refuses %s from its first to its last address', (_name, first, last, ...outside) => {
  const host = (address: string) => (address.includes(':') ? `[${address}]` : address);
  for (const address of [first, last]) expect([address, isRefused(host(address))]).toEqual([address, true]);
  for (const address of outside)
    expect([address, isRefused(host(address)), isPrivateAddress(address)]).toEqual([address, false, false]);
});

it.each(['', 'localhost', 'example.com', '127.0.0.1:80', ':', '[', '1.2.3', '1.2.3.4.5', ':::', 'a b'])(
  "doesn't count %j as a private address",
  (text) => expect(isPrivateAddress(text)).toBe(false),
);

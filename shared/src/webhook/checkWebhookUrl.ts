const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa|test|invalid)$/;

/**
 * Why the service would refuse a webhook address, as a sentence, or undefined where it would take it: it
 * must be HTTPS on a public host (API text, "Endpoints", 4).
 */
export function checkWebhookUrl(url: string): string | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return 'It is no URL.';
  }
  if (parsed.protocol !== 'https:') return 'It does not begin with https://.';
  const host = parsed.hostname.replace(/(?<!\.)\.+$/, '');
  const address = readAddress(host);
  if (address === undefined)
    return host.includes('.') && !LOCAL_NAME.test(host)
      ? undefined
      : 'Its host is known only on your own network.';
  if (isWithin(address, PRIVATE)) return 'Its host is a local or private address.';
  return isWithin(address, EXAMPLES) ? 'Its host is an address for examples only.' : undefined;
}

/** An IP address as one number. */
interface Address {
  value: bigint;
  bits: 32 | 128;
}

/** The first bits of addresses. */
type Block = readonly [start: string, length: number];

/** Private, local, multicast and reserved addresses (IANA's registries). */
const PRIVATE: readonly Block[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:2::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

/** Addresses for documentation. */
const EXAMPLES: readonly Block[] = [
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

/** Blocks of IPv6 whose addresses hold an IPv4 one, with how far to shift it to the end; Teredo inverts the second. */
const HOLDS_V4 = [
  ['::', 96, 0n],
  ['::ffff:0:0', 96, 0n],
  ['::ffff:0:0:0', 96, 0n],
  ['64:ff9b::', 96, 0n],
  ['2002::', 16, 80n],
  ['2001::', 32, 64n],
  ['2001::', 32, 0n, 'inverted'],
] as const;

/**
 * Whether an IP address, an IPv6 one with or without brackets, is local, private or reserved, also where it is an IPv4
 * address inside an IPv6 one. Names are not looked up.
 */
export function isPrivateAddress(address: string): boolean {
  const read = readAddress(address);
  return read !== undefined && isWithin(read, PRIVATE);
}

/** Whether an address, or the IPv4 one that it holds, is in one of the blocks. */
function isWithin(address: Address, blocks: readonly Block[]): boolean {
  return (
    blocks.some(([start, length]) => isIn(address, start, length)) ||
    HOLDS_V4.some(([start, length, shift, inverted]) => {
      if (!isIn(address, start, length)) return false;
      const held = address.value >> shift;
      const value = BigInt.asUintN(32, inverted === undefined ? held : ~held);
      return isWithin({ value, bits: 32 }, blocks);
    })
  );
}

/** Whether an address begins with the first `length` bits of another. */
function isIn({ value, bits }: Address, start: string, length: number): boolean {
  const block = readAddress(start);
  const rest = BigInt(bits - length);
  return block?.bits === bits && block.value >> rest === value >> rest;
}

/** A URL parser knows every spelling of an address: short and compressed ones, hex, octal, a dot at the end. */
function readAddress(address: string): Address | undefined {
  // A zone, such as %eth0, is this machine's affair.
  const bare = address.replace(/^\[/, '').replace(/\]$/, '').split('%', 1)[0] ?? '';
  const url = bare.includes(':') ? `http://[${bare}]` : `http://${bare}`;
  if (!URL.canParse(url)) return undefined;
  const host = new URL(url).hostname;
  if (host.startsWith('[')) return { value: valueOf(groupsOf(host.slice(1, -1)), 4), bits: 128 };
  if (!/^\d+(\.\d+){3}$/.test(host)) return undefined;
  const bytes = host.split('.').map((byte) => Number(byte).toString(16));
  return { value: valueOf(bytes, 2), bits: 32 };
}

/** The eight groups of an IPv6 address, whose longest run of zeros is written as `::`. */
function groupsOf(address: string): string[] {
  const [before = [], after = []] = address.split('::').map((side) => (side === '' ? [] : side.split(':')));
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}

function valueOf(hexDigits: readonly string[], width: number): bigint {
  return BigInt(`0x${hexDigits.map((digits) => digits.padStart(width, '0')).join('')}`);
}

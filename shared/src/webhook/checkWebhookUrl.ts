const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa|test|invalid)$/;

/**
 * Checks that a webhook URL is HTTPS on a public host, as the service requires (API text, "Endpoints", 4).
 * Returns the reason in one sentence if it isn't, else undefined. Host names aren't looked up.
 * @example
 * ```ts
 * import { checkWebhookUrl } from '@qr-service/core/webhook';
 *
 * console.log(checkWebhookUrl('https://hooks.example.com/qr')); // undefined
 * console.log(checkWebhookUrl('https://192.168.1.20/qr')); // Its host is a local or private address.
 * ```
 */
export function checkWebhookUrl(url: string): string | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return "It isn't a valid URL.";
  }
  if (parsed.protocol !== 'https:') return "It doesn't begin with https://.";
  const host = parsed.hostname.replace(/(?<!\.)\.+$/, '');
  const address = readAddress(host);
  if (address === undefined)
    return host.includes('.') && !LOCAL_NAME.test(host)
      ? undefined
      : 'Its host is known only on your own network.';
  if (isWithin(address, PRIVATE)) return 'Its host is a local or private address.';
  return isWithin(address, EXAMPLES) ? 'Its host is an address for examples only.' : undefined;
}

/** An IP address as a number. */
interface Address {
  value: bigint;
  bits: 32 | 128;
}

/** A range of addresses: those that share the first `length` bits of `start`. */
type Block = readonly [start: string, length: number];

/** Private, local, multicast and reserved ranges, from IANA's registries. */
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
  ['100:0:0:1::', 64],
  ['2001:2::', 48],
  ['2001:10::', 28],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

/** Ranges reserved for documentation. */
const EXAMPLES: readonly Block[] = [
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

/**
 * IPv6 ranges whose addresses embed an IPv4 address, with the number of bits after it. Teredo embeds two: the server's,
 * and the client's with its bits inverted.
 */
const EMBEDS_V4 = [
  ['::', 96, 0n],
  ['::ffff:0:0', 96, 0n],
  ['::ffff:0:0:0', 96, 0n],
  ['64:ff9b::', 96, 0n],
  ['2002::', 16, 80n],
  ['2001::', 32, 64n],
  ['2001::', 32, 0n, 'inverted'],
] as const;

/**
 * Whether an IP address is local, private or reserved. IPv6 addresses may have brackets; an IPv4 address embedded in an
 * IPv6 one counts too. False for host names: look them up first.
 * @example
 * ```ts
 * import { isPrivateAddress } from '@qr-service/core/webhook';
 *
 * console.log(isPrivateAddress('192.168.1.20')); // true
 * console.log(isPrivateAddress('::ffff:10.0.0.7')); // true
 * console.log(isPrivateAddress('93.184.216.34')); // false
 * ```
 */
export function isPrivateAddress(address: string): boolean {
  const read = readAddress(address);
  return read !== undefined && isWithin(read, PRIVATE);
}

/** Whether an address, or an IPv4 address embedded in it, is in one of the ranges. */
function isWithin(address: Address, blocks: readonly Block[]): boolean {
  return (
    blocks.some(([start, length]) => isIn(address, start, length)) ||
    EMBEDS_V4.some(([start, length, shift, inverted]) => {
      if (!isIn(address, start, length)) return false;
      const embedded = address.value >> shift;
      const value = BigInt.asUintN(32, inverted === undefined ? embedded : ~embedded);
      return isWithin({ value, bits: 32 }, blocks);
    })
  );
}

/** Whether an address shares the first `length` bits of another. */
function isIn({ value, bits }: Address, start: string, length: number): boolean {
  const block = readAddress(start);
  const rest = BigInt(bits - length);
  return block?.bits === bits && block.value >> rest === value >> rest;
}

/**
 * Parses an address as a URL, which normalizes every spelling: short and compressed forms, hex, octal, a trailing dot.
 */
function readAddress(address: string): Address | undefined {
  // A zone such as %eth0 is only meaningful on this machine.
  const bare = address.replaceAll(/[[\]]|%.*/g, '');
  const url = bare.includes(':') ? `http://[${bare}]` : `http://${bare}`;
  if (!URL.canParse(url)) return undefined;
  const host = new URL(url).hostname;
  if (host.startsWith('[')) return { value: valueOf(groupsOf(host.slice(1, -1)), 4), bits: 128 };
  // A host whose last part is a number is an IPv4 address.
  if (!/\.\d+$/.test(host)) return undefined;
  const bytes = host.split('.').map((byte) => Number(byte).toString(16));
  return { value: valueOf(bytes, 2), bits: 32 };
}

/** The eight groups of an IPv6 address in normal form, where `::` stands for the longest run of zeros. */
function groupsOf(address: string): string[] {
  const [before = [], after = []] = address.split('::').map((side) => side.split(':'));
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}

function valueOf(hexDigits: readonly string[], width: number): bigint {
  return BigInt(`0x${hexDigits.map((digits) => digits.padStart(width, '0')).join('')}`);
}

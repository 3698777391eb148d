import { BlockList, isIP } from 'node:net';

/**
 * Parses an allow-list of IP addresses and CIDR ranges.
 * @throws Error when one of them is invalid
 */
export function parseAddressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    if (bits === undefined) list.addAddress(address, addressFamily(address));
    else list.addSubnet(address, Number(bits), addressFamily(address));
  }
  return list;
}

/** The family of an IP address, as Node names it. */
export function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

import { BlockList, isIP } from 'node:net';
import type { ApiKey } from '../store/apiKeys.ts';

/** Whether a key may be used from an IP address. */
export function isAllowedAddress({ allowedAddresses }: ApiKey, address: string): boolean {
  return allowedAddresses === null || parseAddressList(allowedAddresses).check(address, family(address));
}

/**
 * Parses an allow-list of IP addresses and CIDR ranges.
 * @throws Error when one of them is invalid
 */
export function parseAddressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return list;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

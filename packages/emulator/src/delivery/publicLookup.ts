import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from '@qr-service/core/webhook';

/** The receiver is at an address that the service doesn't deliver to. */
class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor(host: string, address: string) {
    super(`${host} is at the local or private address ${address}`);
  }
}

/**
 * Resolves a host name for a delivery, and rejects it if any of its addresses is local or private. A name that was public
 * when the subscription was created may point elsewhere later.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '', 0);
      return;
    }
    const refused = addresses.find(({ address }) => isPrivateAddress(address));
    const [first] = addresses;
    if (refused !== undefined) callback(new PrivateAddressError(hostname, refused.address), '', 0);
    else if (options.all === true || first === undefined) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** The same check for a URL whose host is an IP address, which needs no lookup. */
export function refusePrivateHost({ hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw new PrivateAddressError(hostname, address);
}

import { SCOPES } from '@qr-service/core';
import type { KeyOptions } from './options.ts';
import { addressList } from './server/middleware/authenticate.ts';
import type { Store } from './store/index.ts';

/** A key that was made. */
export interface CreatedKey {
  id: string;
  /** The secret, which can't be read again. */
  apiKey: string;
}

/**
 * Makes a key.
 * @throws TypeError for a scope, expiry, address or secret that can't be used
 */
export function createKey(store: Store, options: KeyOptions = {}): CreatedKey {
  const { name = 'Key', scopes = SCOPES, expiresAt, allowedAddresses, apiKey } = options;
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined)
    throw new TypeError(`There is no scope ${unknown}. Scopes are: ${SCOPES.join(', ')}.`);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('The API key must be made of letters, digits and signs, without spaces.');
  const expiry = expiresAt === undefined ? null : new Date(expiresAt).getTime();
  if (Number.isNaN(expiry)) throw new TypeError(`The key's expiry ${String(expiresAt)} is no time.`);
  checkAddresses(allowedAddresses ?? []);
  return store.apiKeys.create({
    name,
    scopes,
    expiresAt: expiry,
    allowedAddresses: allowedAddresses ?? null,
    apiKey,
  });
}

function checkAddresses(entries: readonly string[]): void {
  for (const entry of entries) {
    try {
      addressList([entry]);
    } catch (cause) {
      throw new TypeError(`The allowed address ${entry} is neither an IP address nor a CIDR range.`, {
        cause,
      });
    }
  }
}

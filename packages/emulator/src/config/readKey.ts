import { SCOPES, type Scope } from '@qr-service/core';
import { parseAddressList } from '../validation/addresses.ts';
import type { Fields } from '../validation/checkObject.ts';
import { isDateTime, isListOf, isOneOf, isStorable, isText, readTime } from '../validation/checks.ts';
import type { KeyOptions } from './keyOptions.ts';

/** A key to create, complete. */
export interface NewApiKey {
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
  allowedAddresses: readonly string[] | null;
  /** The secret. Default: a random one. */
  apiKey?: string | undefined;
}

/** Fields of a key's options, for checking external input. */
export const KEY_FIELDS: Fields = {
  optional: {
    name: isText(200),
    scopes: isListOf(isOneOf(SCOPES)),
    expiresAt: isDateTime,
    allowedAddresses: isListOf(isText(100)),
    apiKey: isText(500),
  },
};

/**
 * Checks a key's options and adds the defaults.
 * @throws TypeError for an invalid scope, expiry, address or secret
 */
export function readKey(options: KeyOptions): NewApiKey {
  const { name = 'Key', scopes = SCOPES, expiresAt, allowedAddresses, apiKey } = options;
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined)
    throw new TypeError(`Unknown scope ${unknown}. Use one of: ${SCOPES.join(', ')}.`);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('The API key can contain only printable ASCII characters, without spaces.');
  const problem = isStorable(name);
  if (problem !== undefined) throw new TypeError(`The key's name ${problem}.`);
  const expiry = expiresAt === undefined ? null : readTime(expiresAt);
  if (Number.isNaN(expiry)) throw new TypeError(`The key's expiry ${String(expiresAt)} isn't a valid time.`);
  checkAddresses(allowedAddresses ?? []);
  return { name, scopes, expiresAt: expiry, allowedAddresses: allowedAddresses ?? null, apiKey };
}

function checkAddresses(entries: readonly string[]): void {
  for (const entry of entries) {
    try {
      parseAddressList([entry]);
    } catch (cause) {
      throw new TypeError(`The allowed address ${entry} isn't a valid IP address or CIDR range.`, {
        cause,
      });
    }
  }
}

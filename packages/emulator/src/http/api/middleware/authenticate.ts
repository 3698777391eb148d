import { BRAND, headerNames } from '@qr-service/core/connector';
import type { MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { addressFamily, parseAddressList } from '../../../validation/addresses.ts';
import { apiFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';
import { remoteAddress } from '../../remoteAddress.ts';

const API_KEY_HEADER = headerNames(BRAND.headerPrefix).apiKey;

/** Looks up the API key from either header (API text, "Authentication", 1). */
export function identify({ store, fixed }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    const keys = { authorization: bearer, 'api-key': c.req.header(API_KEY_HEADER) };
    const sent = fixed.keyHeader === undefined ? (bearer ?? keys['api-key']) : keys[fixed.keyHeader];
    c.set('sentKey', sent === undefined ? undefined : store.apiKeys.find(sent));
    await next();
  };
}

/** Requires a valid API key (API text, "Authentication", 5 and 6). */
export function authenticate({ now }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const key = c.var.sentKey;
    if (key === undefined) throw apiFailure('invalid_api_key', 'The API key is missing or unknown.');
    if (key.revokedAt !== null) throw apiFailure('invalid_api_key', 'The API key is revoked.');
    if (key.expiresAt !== null && key.expiresAt <= now())
      throw apiFailure('invalid_api_key', 'The API key has expired.');
    if (!isAllowed(key.allowedAddresses, remoteAddress(c))) throw apiFailure('ip_not_allowed');
    c.set('apiKey', key);
    await next();
  };
}

/** @param entries addresses and ranges; null allows every address */
function isAllowed(entries: readonly string[] | null, address: string): boolean {
  return entries === null || parseAddressList(entries).check(address, addressFamily(address));
}

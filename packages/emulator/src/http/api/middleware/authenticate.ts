import { BlockList, isIP } from 'node:net';
import { BRAND, headerNames, type Scope } from '@qr-service/core';
import type { Context, MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import type { ApiKey } from '../../../store/apiKeys.ts';
import { refuse } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';

const API_KEY_HEADER = headerNames(BRAND.headerPrefix).apiKey;

/** Looks up the key that came in either header (API text, "Authentication", 1). */
export function identify({ store }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    const sent = bearer ?? c.req.header(API_KEY_HEADER);
    c.set('sentKey', sent === undefined ? undefined : store.apiKeys.find(sent));
    await next();
  };
}

/** Lets valid keys pass (API text, "Authentication", 5 and 6). */
export function authenticate({ now }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const key = c.var.sentKey;
    if (key === undefined) throw refuse('invalid_api_key', 'The API key is missing or unknown.');
    if (key.revokedAt !== null) throw refuse('invalid_api_key', 'The API key is revoked.');
    if (key.expiresAt !== null && key.expiresAt <= now())
      throw refuse('invalid_api_key', 'The API key has expired.');
    if (!isAllowed(key, remoteAddress(c))) throw refuse('ip_not_allowed');
    c.set('apiKey', key);
    await next();
  };
}

/** Lets keys with the scope pass (API text, "Authentication", 7). */
export function requireScope(scope: Scope): MiddlewareHandler<Env> {
  return async (c, next) => {
    const granted = c.var.apiKey.scopes;
    if (!granted.includes(scope))
      throw refuse('insufficient_scope', `The API key lacks the scope ${scope}.`, {
        required: scope,
        granted,
      });
    await next();
  };
}

/** The caller's address; an IPv4 one in its own form also where it came over IPv6. */
export function remoteAddress(c: Context<Env>): string {
  return (c.env.incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}

function isAllowed({ allowedAddresses }: ApiKey, address: string): boolean {
  return allowedAddresses === null || addressList(allowedAddresses).check(address, family(address));
}

/**
 * An allow-list of addresses and CIDR ranges.
 * @throws Error when one of them can't be read
 */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return list;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

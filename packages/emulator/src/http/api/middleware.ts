import type { Scope } from '@qr-service/core';
import { SERVICE_HEADERS } from '@qr-service/core/connector';
import type { Context, MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import { countRequest } from '../../store/rateWindows.ts';
import { addressFamily, parseAddressList } from '../../validation/checks.ts';
import type { Env } from '../env.ts';
import { apiFailure } from '../failures.ts';

const API_KEY_HEADER = SERVICE_HEADERS.apiKey;

/** Looks up the API key from either header (docs/api.md#authentication). */
export function identify({ store }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1];
    const sent = bearer ?? c.req.header(API_KEY_HEADER);
    c.set('sentKey', sent === undefined ? undefined : store.apiKeys.find(sent));
    await next();
  };
}

/**
 * Counts the requests of each key in fixed windows, or of each address if the key is unknown, and sets the three headers
 * on every response (docs/api.md#rate-limit).
 */
export function rateLimit({ database, now, rateLimit: rate }: EmulatorContext): MiddlewareHandler<Env> {
  const { limit, windowSeconds } = rate;
  return async (c, next) => {
    const { endsAt, used } = countRequest(database, c.var.sentKey?.id ?? remoteAddress(c), rate, now());
    const seconds = String(Math.max(1, Math.ceil((endsAt - now()) / 1000)));
    c.header('X-RateLimit-Limit', String(limit));
    c.header('X-RateLimit-Remaining', String(Math.max(0, limit - used)));
    c.header('X-RateLimit-Reset', seconds);
    if (used > limit) {
      c.header('Retry-After', seconds);
      throw apiFailure(
        'rate_limited',
        `More than ${limit} requests in ${windowSeconds} s. Wait ${seconds} s.`,
      );
    }
    await next();
  };
}

/** Requires a valid API key (docs/api.md#authentication). */
export function authenticate({ now }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const key = c.var.sentKey;
    const sent = c.req.header('Authorization') ?? c.req.header(API_KEY_HEADER);
    if (sent === undefined) throw apiFailure('invalid_api_key', 'No API key was sent.');
    if (key === undefined) throw apiFailure('invalid_api_key', 'No such API key exists.');
    if (key.revokedAt !== null) throw apiFailure('invalid_api_key', 'The API key is revoked.');
    if (key.expiresAt !== null && key.expiresAt <= now())
      throw apiFailure('invalid_api_key', 'The API key has expired.');
    if (!isAllowed(key.allowedAddresses, remoteAddress(c))) throw apiFailure('ip_not_allowed');
    c.set('apiKey', key);
    await next();
  };
}

/** Requires a scope of the API key (docs/api.md#authentication). */
export function requireScope(scope: Scope): MiddlewareHandler<Env> {
  return async (c, next) => {
    const granted = c.var.apiKey.scopes;
    if (!granted.includes(scope))
      throw apiFailure('insufficient_scope', `The API key lacks the scope ${scope}.`, {
        required: scope,
        granted,
      });
    await next();
  };
}

/** @param entries addresses and ranges; null allows every address */
function isAllowed(entries: readonly string[] | null, address: string): boolean {
  return entries === null || parseAddressList(entries).check(address, addressFamily(address));
}

/** The client's IP address. An IPv4 address mapped to IPv6 is returned in IPv4 form. */
function remoteAddress(c: Context<Env>): string {
  return (c.env.incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}

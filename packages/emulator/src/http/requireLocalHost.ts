import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import type { Env } from './env.ts';

/**
 * Allows only requests to an IP address or `localhost`, to prevent DNS rebinding: a foreign page can make its own host
 * name resolve to this machine and then read the responses, but it can't do that with an IP address.
 */
export const requireLocalHost: MiddlewareHandler<Env> = async (c, next) => {
  const { hostname } = new URL(c.req.url);
  if (!isLocalHost(hostname))
    return c.text(`Open this page at localhost or an IP address, not at ${hostname}.`, 403);
  return next();
};

/** Whether a host is an IP address or `localhost`, which no foreign page can claim. */
export function isLocalHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isIP(address) !== 0;
}

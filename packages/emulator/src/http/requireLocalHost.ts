import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import type { Env } from './env.ts';

/**
 * Lets pass only what was asked of this machine by address or as `localhost`. A stranger's page can have its own
 * name resolve to this machine and then read what it likes; it can do so with no address.
 */
export const requireLocalHost: MiddlewareHandler<Env> = async (c, next) => {
  const { hostname } = new URL(c.req.url);
  if (!isLocalHost(hostname))
    return c.text(`Open this page by this machine's address or as localhost, not as ${hostname}.`, 403);
  return next();
};

/** Whether a host is an address, or `localhost`: a stranger's name is neither. */
export function isLocalHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isIP(address) !== 0;
}

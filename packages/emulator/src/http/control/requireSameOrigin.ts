import type { MiddlewareHandler } from 'hono';
import type { Env } from '../env.ts';
import { isLocalHost } from '../requireLocalHost.ts';

/**
 * Keeps strangers' pages out, as no key is asked for: a request must name this machine (another name may have been
 * made to resolve to it), and must not come from a page of another address.
 * @param configuredHost what the emulator was told to listen on
 */
export function requireSameOrigin(configuredHost: string): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { host, hostname } = new URL(c.req.url);
    if (!isLocalHost(hostname) && hostname !== configuredHost)
      return c.json({ error: `Ask by this machine's address or as localhost, not as ${hostname}.` }, 403);
    const origin = c.req.header('Origin');
    const site = c.req.header('Sec-Fetch-Site') ?? 'none';
    const isForeign = origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
    if (isForeign || !['same-origin', 'none'].includes(site))
      return c.json({ error: 'A page of another address may not control the emulator.' }, 403);
    return next();
  };
}

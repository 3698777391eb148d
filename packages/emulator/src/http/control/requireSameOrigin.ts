import type { MiddlewareHandler } from 'hono';
import type { Env } from '../env.ts';
import { isLocalHost } from '../requireLocalHost.ts';

/**
 * Keeps foreign pages out, because no key is required: a request must name this machine (a foreign name may have been
 * made to resolve to it), and must not come from a page of another origin.
 * @param configuredHost host that the emulator was told to listen on
 */
export function requireSameOrigin(configuredHost: string): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { host, hostname } = new URL(c.req.url);
    if (!isLocalHost(hostname) && hostname !== configuredHost)
      return c.json({ error: `Use localhost or this machine's IP address, not ${hostname}.` }, 403);
    const origin = c.req.header('Origin');
    const site = c.req.header('Sec-Fetch-Site') ?? 'none';
    const isForeign = origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
    if (isForeign || !['same-origin', 'none'].includes(site))
      return c.json({ error: "Pages of another origin can't control the emulator." }, 403);
    return next();
  };
}

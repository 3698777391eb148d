import type { MiddlewareHandler } from 'hono';
import type { Env } from '../env.ts';
import { isLocalHost } from '../requireLocalHost.ts';

/**
 * Blocks foreign pages, because no key is required. A request must use an IP address, `localhost` or the configured host,
 * since a foreign name could resolve to this machine, and must not come from a page of another origin.
 * @param configuredHost host that the emulator listens on
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
      return c.json({ error: "Pages from another origin can't control the emulator." }, 403);
    return next();
  };
}

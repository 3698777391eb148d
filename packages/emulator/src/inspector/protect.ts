import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';
import type { Env } from '../http/env.ts';
import { isLocalHost } from '../http/rpc.ts';

/**
 * Middleware of every page. The pages show secrets and change the emulator's data, so foreign pages must not read them,
 * submit their forms or frame them, and displayed data must never run as script.
 */
export const PROTECTION: [MiddlewareHandler<Env>, ...MiddlewareHandler<Env>[]] = [
  async (c, next) => {
    // A foreign page can make its own host name resolve to this machine, but not an IP address.
    const { hostname } = new URL(c.req.url);
    if (isLocalHost(hostname)) return next();
    return c.text(`Open this page at localhost or an IP address, not at ${hostname}.`, 403);
  },
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  }),
  csrf(),
  async (c, next) => {
    await next();
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
  },
];

import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';
import type { Env } from '../http/env.ts';
import { requireLocalHost } from '../http/requireLocalHost.ts';

const LARGEST_FORM = 1024 * 1024;

/** Browsers always send the length of a form. Hono's own limit fails when the length is unknown. */
const limitForm: MiddlewareHandler<Env> = async (c, next) => {
  const isUnknown = c.req.header('Transfer-Encoding') !== undefined;
  const length = isUnknown ? Infinity : Number(c.req.header('Content-Length') ?? 0);
  return length > LARGEST_FORM ? c.text('This form is too large.', 413) : next();
};

/**
 * Middleware of every page. The pages show secrets and change the emulator's data, so foreign pages must not read them,
 * submit their forms or frame them, and displayed data must never run as script.
 */
export const PROTECTION: readonly MiddlewareHandler<Env>[] = [
  requireLocalHost,
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
    xFrameOptions: 'DENY',
    // The emulator uses plain HTTP.
    strictTransportSecurity: false,
  }),
  csrf(),
  limitForm,
  async (c, next) => {
    await next();
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
  },
];

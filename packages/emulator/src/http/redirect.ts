import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../control/context.ts';
import type { Visit } from '../store/records.ts';
import type { Env } from './env.ts';

/** Bots and link previews. Their visits don't count as scans. */
const BOT = /bot\b|bot\/|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|headless|monitor/i;
/** The first pattern that matches counts. */
const DEVICES = {
  tablet: /ipad|tablet|android(?!.*mobile)/i,
  mobile: /mobile|iphone|android/i,
  desktop: /windows|macintosh|x11/i,
};
const SYSTEMS = {
  iOS: /iphone|ipad/i,
  Android: /android/i,
  Windows: /windows/i,
  macOS: /macintosh/i,
  Linux: /linux/i,
};
const BROWSERS = { Edge: /edg/i, Firefox: /firefox|fxios/i, Chrome: /chrome|crios/i, Safari: /safari/i };

/** Path of the redirect host on this server. */
export const REDIRECT_PATH = '/r';

/** The redirect host: only a published code resolves (docs/api.md#states). */
export function redirectRoutes({ store, now }: EmulatorContext): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/:slug', (c) => {
    c.header('Cache-Control', 'no-store');
    const code = store.qrCodes.findBySlug(c.req.param('slug'));
    if (code?.status === 'archived') return c.text('This code has been archived.', 410);
    if (code?.status !== 'published') return c.text("This QR code doesn't exist or isn't published.", 404);
    // Hono routes HEAD here, too. It isn't a visit, so it doesn't count as a scan.
    if (c.req.method === 'GET' && !BOT.test(c.req.header('User-Agent') ?? ''))
      store.scans.record(code.id, now(), readVisit(c));
    return c.redirect(headerSafe(code.targetUrl), 302);
  });
  return routes;
}

/** The destination URL unchanged, or escaped if a header can't carry it. */
function headerSafe(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}

/**
 * Reads coarse details of a visit from its request; null if unknown. The country comes from `CF-IPCountry`, which a proxy
 * in front of the emulator sets.
 */
function readVisit(c: Context<Env>): Visit {
  const userAgent = c.req.header('User-Agent') ?? '';
  const country = c.req.header('CF-IPCountry')?.toUpperCase();
  return {
    country: country !== undefined && /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : null,
    device: match(DEVICES, userAgent),
    os: match(SYSTEMS, userAgent),
    browser: match(BROWSERS, userAgent),
    referrer: host(c.req.header('Referer')),
  };
}

function match(patterns: Record<string, RegExp>, userAgent: string): string | null {
  return Object.entries(patterns).find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
}

function host(referer: string | undefined): string | null {
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).hostname || null : null;
}

import { Hono } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import type { Env } from '../env.ts';
import { isBot, readVisit } from './visit.ts';

/** Path of the redirect host on this server. */
export const REDIRECT_PATH = '/r';

/** The redirect host: only a published code resolves (API text, "States and transitions"). */
export function redirectRoutes({ store, now }: EmulatorContext): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/:slug?', (c) => {
    c.header('Cache-Control', 'no-store');
    const code = store.qrCodes.findBySlug(c.req.param('slug') ?? c.req.query('c') ?? '');
    if (code?.status === 'archived') return c.text('This code has been archived.', 410);
    if (code?.status !== 'published') return c.text("This QR code doesn't exist or isn't published.", 404);
    // Hono routes HEAD here, too. It isn't a visit, so it doesn't count as a scan.
    if (c.req.method === 'GET' && !isBot(c.req.header('User-Agent') ?? ''))
      store.scans.record(
        code.id,
        now(),
        readVisit((name) => c.req.header(name)),
      );
    return c.redirect(headerSafe(code.targetUrl), 302);
  });
  return routes;
}

/** The destination URL unchanged, or escaped if a header can't carry it. */
function headerSafe(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}

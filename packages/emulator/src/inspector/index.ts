import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { EmulatorContext } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import type { Env } from '../http/env.ts';
import { codeRoutes } from './codes.ts';
import { deliveryRoutes } from './deliveries.ts';
import { PROTECTION } from './protect.ts';
import { requestRoutes } from './requests.ts';
import { subscriptionRoutes } from './subscriptions.ts';

const require = createRequire(import.meta.url);
const ASSETS = {
  'icon.svg': ['image/svg+xml', new URL('../../assets/icon.svg', import.meta.url)],
  'inspector.css': ['text/css', new URL('../../assets/inspector.css', import.meta.url)],
  'inspector.js': ['text/javascript', new URL('../../assets/inspector.js', import.meta.url)],
  'idiomorph.js': ['text/javascript', require.resolve('idiomorph/dist/idiomorph.min.js')],
} as const;

/** How often to check for changes while a page is open. */
const POLL_MS = 200;

/**
 * The inspector: pages that show what happens in the emulator and do what the service's app would. They work without
 * JavaScript; the script only keeps them up to date.
 */
export function createInspector(context: EmulatorContext, control: Control): Hono<Env> {
  const inspector = new Hono<Env>();
  inspector.get('/', (c) => c.redirect('/requests'));
  inspector.route('/requests', requestRoutes(context));
  inspector.route('/codes', codeRoutes(context));
  inspector.route('/subscriptions', subscriptionRoutes(context));
  inspector.route('/deliveries', deliveryRoutes(context, control));
  inspector.route('/assets', assetRoutes());
  inspector.get('/live', ...PROTECTION, (c) => streamSSE(c, (stream) => reportChanges(stream, context)));
  return inspector;
}

/** Sends an event on every change. It compares counters, so requests have no extra cost. */
async function reportChanges(stream: SSEStreamingApi, { store, requests }: EmulatorContext): Promise<void> {
  let last = '';
  while (!stream.aborted) {
    const now = `${requests.count()} ${store.counts.changes()}`;
    if (now !== last) await stream.writeSSE({ event: 'change', data: now, retry: 1000 });
    last = now;
    await stream.sleep(POLL_MS);
  }
}

/** The styles, the scripts and the icon. */
function assetRoutes(): Hono<Env> {
  const routes = new Hono<Env>();
  for (const [name, [type, file]] of Object.entries(ASSETS)) {
    const text = readFileSync(file, 'utf8');
    const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-cache' };
    routes.get(`/${name}`, ...PROTECTION, (c) => c.body(text, 200, headers));
  }
  return routes;
}

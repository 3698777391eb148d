import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Hono } from 'hono';
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
  return inspector;
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

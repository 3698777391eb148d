import { Hono } from 'hono';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import type { EmulatorContext } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import type { Env } from '../http/env.ts';
import { assetRoutes } from './assets.ts';
import { clockRoutes } from './clock.ts';
import { codeRoutes } from './codes/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { faultRoutes } from './faults/routes.ts';
import { pageSender, TABS } from './html/page.ts';
import { keyRoutes } from './keys.ts';
import { liveRoutes } from './live.ts';
import { PROTECTION } from './protect.ts';
import { requestRoutes } from './requests/routes.ts';
import { PageError } from './routing/PageError.ts';
import { scanRoutes } from './scans.ts';
import { subscriptionRoutes } from './subscriptions.ts';

/**
 * The inspector: pages that show what happens in the emulator and do what the service's app would. They work without
 * JavaScript; the script only keeps them up to date.
 */
export function createInspector(context: EmulatorContext, control: Control): Hono<Env> {
  const send = pageSender(context);
  const sections = {
    '/codes': codeRoutes(context, send),
    '/subscriptions': subscriptionRoutes(context, send),
    '/deliveries': deliveryRoutes(context, control, send),
    '/scans': scanRoutes(context, send),
    '/faults': faultRoutes(context, control, send),
    '/keys': keyRoutes(context, send),
    '/clock': clockRoutes(context, control, send),
    '/live': liveRoutes(context),
    '/assets': assetRoutes(),
  };

  const inspector = new Hono<Env>();
  // Applied path by path, because the API and the redirect host share this server and are open to everyone.
  for (const path of ['', '/requests', ...Object.keys(sections)])
    inspector.use(path === '' ? '/' : `${path}/*`, ...PROTECTION);
  inspector.route('/', requestRoutes(context, send));
  for (const [path, routes] of Object.entries(sections)) inspector.route(path, routes);

  inspector.onError((error, c) => {
    // Replaces the bare status of Hono's middleware with a message.
    if (error instanceof HTTPException)
      return c.text('This form was submitted from another site.', error.status);
    const known = error instanceof PageError;
    if (!known) context.log(`internal error: ${error.stack ?? error.message}`);
    const message = known ? error.message : 'Internal error of the emulator. See its log.';
    const { path, name } = tabOf(c.req.path);
    return send(c, {
      tab: name,
      title: 'Error',
      status: known ? error.status : 500,
      body: html`<section class="problem" role="alert">
        <h1>That didn't work</h1>
        <p>${message}</p>
        <p><a class="button" href="${path}">Back</a></p>
      </section>`,
    });
  });
  return inspector;
}

/** The tab that a path belongs to; the first one by default. */
function tabOf(path: string): (typeof TABS)[number] {
  return TABS.find((tab) => tab.path === `/${path.split('/')[1] ?? ''}`) ?? TABS[0];
}

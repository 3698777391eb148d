import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { EmulatorContext } from '../../control/context.ts';
import type { Env } from '../../http/env.ts';
import type { SendPage } from '../html/page.ts';
import { panes } from '../html/panes.ts';
import { PageError } from '../routing/PageError.ts';
import { requestDetail } from './detail.ts';
import { requestList } from './list.ts';

/** `GET /` and `GET /requests/{id}`. */
export function requestRoutes({ requests }: EmulatorContext, send: SendPage): Hono<Env> {
  function show(c: Context<Env>, id?: string) {
    const recent = requests.recent().toReversed();
    const open = id === undefined ? undefined : recent.find(({ requestId }) => requestId === id);
    if (id !== undefined && open === undefined)
      throw new PageError(404, 'Request not found. The log keeps the latest 500 requests.');
    return send(c, {
      tab: 'Requests',
      body: panes({
        heading: 'Requests',
        tools: html`<p class="quiet">Newest first, times in UTC</p>`,
        list: requestList(recent, id, new URL(c.req.url).origin),
        detail: open === undefined ? undefined : requestDetail(open),
        listPath: '/',
      }),
    });
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) => show(c));
  routes.get('/requests/:id', (c) => show(c, c.req.param('id')));
  return routes;
}

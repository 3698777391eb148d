import { EVENT_TYPES } from '@qr-service/core';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { EmulatorContext } from '../control/context.ts';
import type { Env } from '../http/env.ts';
import type { Subscription } from '../store/subscriptions.ts';
import type { SendPage } from './html/page.ts';
import { panes } from './html/panes.ts';
import {
  confirmedAction,
  copyButton,
  dateTime,
  definitionList,
  emptyState,
  secret,
  type Html,
} from './html/parts.ts';
import { PageError } from './routing/PageError.ts';
import { redirectWithNotice } from './routing/form.ts';

/** `/subscriptions`: receivers and their events. */
export function subscriptionRoutes({ store, subscriptions }: EmulatorContext, send: SendPage): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', (c) =>
    send(c, {
      tab: 'Subscriptions',
      body: panes({
        heading: 'Subscriptions',
        list: list(store.subscriptions.active().toReversed()),
        listPath: '/subscriptions',
      }),
    }),
  );
  routes.post('/:id/delete', (c) => {
    const id = c.req.param('id');
    if (!subscriptions.remove(id))
      throw new PageError(404, 'Subscription not found. It may have been deleted.');
    return redirectWithNotice(c, '/subscriptions', 'unsubscribed');
  });
  return routes;
}

function list(subscriptions: readonly Subscription[]): Html {
  if (subscriptions.length === 0)
    return emptyState('No subscriptions yet. A trigger in n8n or Zapier subscribes when you turn it on.');
  return html`<ul class="blocks">
    ${subscriptions.map(
      ({ id, url, eventTypes, createdAt, secret: signingSecret }) =>
        html`<li class="panel" id="row-${id}">
          <h2 class="break">${url} ${copyButton(url, 'URL')}</h2>
          ${definitionList([
            ['Events', events(eventTypes)],
            ['ID', html`<code>${id}</code>`],
            ['Created', dateTime(createdAt)],
          ])}
          <div class="actions">
            ${secret(`secret-${id}`, 'signing secret', signingSecret)}
            ${confirmedAction(
              `/subscriptions/${id}/delete`,
              'Delete',
              'Events will no longer be sent to this URL.',
              `delete-${id}`,
            )}
          </div>
        </li>`,
    )}
  </ul>`;
}

function events(types: Subscription['eventTypes']): Html | string {
  if (types.length === EVENT_TYPES.length) return `all ${types.length}`;
  return html`${types.map((type) => html`<code class="chip">${type}</code> `)}`;
}

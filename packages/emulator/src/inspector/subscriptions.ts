import { EVENT_TYPES } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import { html } from 'hono/html';
import type { EmulatorContext } from '../control/context.ts';
import type { Subscription } from '../store/records.ts';
import { createSection, SHOWN, type Detail } from './section.ts';
import * as ui from './ui.ts';

/** `/subscriptions`: receivers and their events. */
export function subscriptionRoutes(context: EmulatorContext) {
  const { store, now } = context;
  const { routes, find } = createSection<Subscription>(context, {
    name: 'Subscriptions',
    latest: () => store.subscriptions.active().slice(-SHOWN).toReversed(),
    find: (id) => store.subscriptions.active().find((subscription) => subscription.id === id),
    idOf: ({ id }) => id,
    row: ({ id, url, eventTypes, createdAt }) => ({
      Receiver: html`${url} <span class="quiet small">${id}</span>`,
      Events: `${eventTypes.length} of ${EVENT_TYPES.length}`,
      'Created (UTC)': ui.time(createdAt),
    }),
    detail: subscriptionDetail,
    hint: () =>
      html`<p>No subscriptions yet. A trigger in n8n or Zapier subscribes when you turn it on.</p>
        <p>To add one yourself, send <code>POST ${API_PATH}/webhooks</code>.</p>`,
  });

  routes.post('/:id/delete', (c) => {
    store.subscriptions.remove(find(c).id, now());
    return c.redirect('/subscriptions?notice=delete', 303);
  });
  return routes;
}

function subscriptionDetail({ id, url, eventTypes, createdAt, secret }: Subscription): Detail {
  return {
    heading: url,
    body: html`${ui.facts([
      ['Events', html`${eventTypes.map((type) => html`<span class="chip">${type}</span> `)}`],
      ['Signing secret', ui.secret('signing-secret', 'signing secret', secret)],
      ['ID', html`<code>${id}</code> ${ui.copyButton('ID', id)}`],
      ['Created', ui.time(createdAt)],
    ])}
    ${ui.deleteAction(`/subscriptions/${id}/delete`, 'Events will no longer be sent to this URL.')}`,
  };
}

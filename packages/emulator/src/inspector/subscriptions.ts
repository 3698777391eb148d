import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { EmulatorContext } from '../control/context.ts';
import type { Env } from '../http/env.ts';
import type { Subscription } from '../store/records.ts';
import { isEventTypeList, isWebhookUrl } from '../validation/webhookChecks.ts';
import { checkboxes, createPanel } from './html/forms.ts';
import type { SendPage } from './html/page.ts';
import { panes } from './html/panes.ts';
import {
  blockList,
  chips,
  confirmedAction,
  copyButton,
  dateTime,
  emptyState,
  secret,
  shownOnce,
  type Html,
} from './html/parts.ts';
import { PageError } from './routing/PageError.ts';
import { readForm, readList, redirectWithNotice } from './routing/form.ts';

/** `/subscriptions`: receivers and their events. */
export function subscriptionRoutes({ store, subscriptions }: EmulatorContext, send: SendPage): Hono<Env> {
  function show(c: Context<Env>, { top = html``, form = createForm('', EVENT_TYPES), status = 200 }) {
    return send(c, {
      tab: 'Subscriptions',
      status,
      body: panes({
        heading: 'Subscriptions',
        tools: form,
        list: html`${top} ${list(store.subscriptions.active().toReversed())}`,
        listPath: '/subscriptions',
      }),
    });
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) => show(c, {}));
  routes.post('/', async (c) => {
    const field = await readForm(c);
    const url = field('url');
    const eventTypes = await readList(c, 'eventTypes');
    const problems = Object.entries({
      'The URL': isWebhookUrl(url),
      'The list of events': isEventTypeList(eventTypes),
    }).flatMap(([label, problem]) => (problem === undefined ? [] : [`${label} ${problem}.`]));
    if (problems.length > 0)
      return show(c, { form: createForm(url, eventTypes, problems.join(' ')), status: 422 });
    const created = subscriptions.create(url, eventTypes as EventType[]);
    const top = shownOnce(
      'signing secret',
      created.secret,
      'Created. Give the signing secret to the receiver:',
    );
    return show(c, { top, status: 201 });
  });
  routes.post('/:id/delete', (c) => {
    const id = c.req.param('id');
    if (!subscriptions.remove(id))
      throw new PageError(404, 'Subscription not found. It may have been deleted.');
    return redirectWithNotice(c, '/subscriptions', 'unsubscribed');
  });
  return routes;
}

function createForm(url: string, eventTypes: readonly string[], problem?: string): Html {
  return createPanel(
    'New subscription',
    '/subscriptions',
    problem,
    html`<p>
        <label for="webhook-url">URL</label>
        <input
          id="webhook-url"
          name="url"
          type="url"
          required
          maxlength="2048"
          value="${url}"
          placeholder="https://hooks.example.com/in"
          aria-describedby="webhook-hint"
        />
      </p>
      <p class="quiet" id="webhook-hint">
        HTTPS on a public host. For a receiver on this machine, use a made-up host and start the emulator with
        <code>--connect-to</code>.
      </p>
      ${checkboxes('eventTypes', 'Events', EVENT_TYPES, eventTypes)}`,
  );
}

function list(subscriptions: readonly Subscription[]): Html {
  if (subscriptions.length === 0)
    return emptyState('No subscriptions yet. A trigger in n8n or Zapier subscribes when you turn it on.');
  return blockList(
    subscriptions.map(({ id, url, eventTypes, createdAt, secret: signingSecret }) => ({
      id,
      title: html`${url} ${copyButton(url, 'URL')}`,
      facts: [
        ['Events', chips(eventTypes, EVENT_TYPES)],
        ['ID', html`<code>${id}</code>`],
        ['Created', dateTime(createdAt)],
      ],
      actions: html`${secret(`secret-${id}`, 'signing secret', signingSecret)}
      ${confirmedAction(
        `/subscriptions/${id}/delete`,
        'Delete',
        'Events will no longer be sent to this URL.',
        `delete-${id}`,
      )}`,
    })),
  );
}

import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import { html } from 'hono/html';
import type { EmulatorContext } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import type { Attempt, Delivery } from '../store/records.ts';
import { createSection, readForm, SHOWN, type Detail } from './section.ts';
import { signatureVerdict } from './signature.ts';
import * as ui from './ui.ts';

const TONES = {
  pending: 'busy',
  sending: 'busy',
  delivered: 'good',
  failed: 'bad',
  canceled: 'idle',
} as const;

/** `/deliveries`: lists deliveries with the responses, redelivers them and sends events. */
export function deliveryRoutes(context: EmulatorContext, control: Control) {
  const { store, now } = context;

  const { routes, show } = createSection<Delivery>(context, {
    name: 'Deliveries',
    latest: () => store.deliveries.all().slice(-SHOWN).toReversed(),
    find: (id) => store.deliveries.find(id),
    idOf: ({ id }) => id,
    row: (delivery) => {
      const { attempts } = delivery;
      const last = attempts.at(-1);
      return {
        Event: html`<span class="words"
          >${breakable(delivery.eventType)} <span class="quiet small">${delivery.id}</span></span
        >`,
        Status: statusBadge(delivery, now()),
        Response: last ? resultBadge(last) : '',
        Attempts: String(attempts.length),
        Receiver: delivery.url.replace(/^https:\/\//, ''),
        'Latest attempt (UTC)': last ? ui.time(last.startedAt, 'hour') : '',
      };
    },
    detail: (delivery) => deliveryDetail(delivery, context),
    hint: () =>
      html`<p>No deliveries yet. Each event is sent to every subscription that includes it.</p>
        <p><a class="button" href="/subscriptions">View subscriptions</a></p>`,
    create: {
      label: 'Send an event',
      form: (c) => {
        const type = EVENT_TYPES.find((known) => known === c.req.query('type')) ?? 'qr.published';
        return sendForm(type, JSON.stringify(EVENTS[type].sampleData, null, 2));
      },
    },
  });

  routes.post('/', async (c) => {
    const field = await readForm(c);
    const type = field('type') as EventType;
    const data = parseData(field('data'));
    if (typeof data === 'string') return show(c, sendForm(type, field('data'), data), 422);
    const event = control.emit(type, data);
    const delivery = store.deliveries.all().findLast(({ eventId }) => eventId === event.id);
    const path = delivery ? `/deliveries/${delivery.id}?notice=sent` : '/deliveries?notice=unheard';
    return c.redirect(path, 303);
  });
  routes.post('/:id/redeliver', async (c) => {
    const newDeliveryId = (await readForm(c))('newDeliveryId') !== '';
    const id = control.redeliver(c.req.param('id'), { newDeliveryId });
    return c.redirect(`/deliveries/${id}?notice=redeliver`, 303);
  });
  return routes;
}

/** A name that breaks after an underscore before it breaks within a word. */
function breakable(name: string) {
  return name.split('_').map((part, index) => (index === 0 ? part : html`_<wbr />${part}`));
}

function deliveryDetail(delivery: Delivery, { store, now }: EmulatorContext): Detail {
  const { id, subscriptionId, eventType, eventId, url, body, attempts } = delivery;
  const secret = store.subscriptions.find(subscriptionId)?.secret ?? '';
  return {
    heading: eventType,
    body: html`${ui.facts([
        ['Status', statusBadge(delivery, now())],
        ['Receiver', url],
        ['Delivery ID', html`<code>${id}</code>`],
        ['Event ID', html`<code>${eventId}</code>`],
      ])}
      ${
        store.subscriptions.isRemoved(subscriptionId)
          ? html`<p class="quiet">The subscription was deleted, so this can't be redelivered.</p>`
          : html`<form method="post" action="/deliveries/${id}/redeliver" class="actions">
              <button>Redeliver</button>
              <button name="newDeliveryId" value="yes">Redeliver with a new delivery ID</button>
            </form>`
      }
      <h3>Attempts</h3>
      ${attempts.map((attempt) => attemptDetails(attempt, attempt === attempts.at(-1), body, secret))}
      <h3>Body</h3>
      ${ui.codeBlock('Body', ui.prettyJson(body))}`,
  };
}

function attemptDetails(attempt: Attempt, isLast: boolean, body: string, secret: string): ui.Html {
  const { number, startedAt, durationMs, fault, headers, sentBody } = attempt;
  return html`<details class="attempt" id="attempt-${number}" ${isLast ? html`open` : ''}>
    <summary>
      <b>Attempt ${number}</b> ${resultBadge(attempt)} ${ui.time(startedAt, 'hour')}
      <span class="quiet">${durationMs} ms</span> ${fault && ui.badge(fault, 'warn')}
    </summary>
    ${signatureVerdict(attempt, sentBody ?? body, secret)}
    ${ui.headerBlock(`Headers of attempt ${number}`, headers)}
  </details>`;
}

function statusBadge({ status, nextAttemptAt, attempts }: Delivery, now: number): ui.Html {
  if (status !== 'pending' || attempts.length === 0) return ui.badge(status, TONES[status]);
  const seconds = Math.ceil((nextAttemptAt - now) / 1000);
  return ui.badge(seconds > 0 ? `retry in ${seconds} s` : 'retry due', 'warn');
}

/** The receiver's response to an attempt, or why there was none. */
function resultBadge({ status, error }: Attempt): ui.Html {
  if (status === null) return ui.badge(error ?? 'no response', 'bad');
  return ui.badge(String(status), status >= 200 && status < 300 ? 'good' : 'bad');
}

/** @param problem what is wrong with the data, as a sentence */
function sendForm(type: EventType, data: string, problem?: string): Detail {
  const { description, dataDocumented } = EVENTS[type];
  const chips = EVENT_TYPES.map(
    (known) =>
      html`<a
        class="chip"
        href="/deliveries/new?type=${known}"
        ${known === type ? html`aria-current="true"` : ''}
        >${known}</a
      > `,
  );
  return {
    heading: 'Send an event',
    body: html`<nav aria-label="Events">${chips}</nav>
      <p>${description}</p>
      <form method="post" action="/deliveries" class="stack">
        <input type="hidden" name="type" value="${type}" />
        ${problem && html`<p class="notice bad" role="alert">${problem}</p>`}
        <label for="data">Data for <code>${type}</code></label>
        <textarea id="data" name="data" rows="16" spellcheck="false">${data}</textarea>
        <p class="quiet small">
          The emulator adds the envelope.
          ${dataDocumented ? '' : "The API documentation doesn't show this data; the sample resembles similar events."}
        </p>
        <button class="solid">Send to all subscriptions</button>
      </form>`,
  };
}

/** Parses an event's data, or returns the problem as a sentence. */
function parseData(text: string): Record<string, unknown> | string {
  try {
    const data: unknown = JSON.parse(text);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    return isObject ? (data as Record<string, unknown>) : 'The data must be a JSON object: { … }.';
  } catch (error) {
    return `The data isn't valid JSON: ${(error as Error).message}.`;
  }
}

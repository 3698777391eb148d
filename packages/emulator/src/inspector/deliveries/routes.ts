import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { EmulatorContext } from '../../control/context.ts';
import type { Control } from '../../control/control.ts';
import type { Env } from '../../http/env.ts';
import { filterBar, noMatches } from '../html/filterBar.ts';
import type { SendPage } from '../html/page.ts';
import { panes, type Panes } from '../html/panes.ts';
import { pathWith, readFilters } from '../routing/filters.ts';
import { PageError } from '../routing/PageError.ts';
import { orPageError, readForm, redirectWithNotice } from '../routing/form.ts';
import { detailPath, readBefore } from '../routing/paging.ts';
import { deliveryDetail } from './detail.ts';
import { deliveryList } from './list.ts';
import { sendForm } from './sendForm.ts';

const PAGE_SIZE = 50;
const FILTERS = [
  { name: 'event', label: 'Event', choices: EVENT_TYPES },
  { name: 'state', label: 'State', choices: ['pending', 'sending', 'delivered', 'failed', 'canceled'] },
];
const FILTER_NAMES = ['q', 'event', 'state'];
const DEFAULT_EVENT: EventType = 'qr.published';

/** `/deliveries`: lists deliveries with the responses, redelivers them and sends events. */
export function deliveryRoutes({ store, now }: EmulatorContext, control: Control, send: SendPage): Hono<Env> {
  function show(c: Context<Env>, openId: string | undefined, detail: Panes['detail'], status = 200) {
    const filters = readFilters(c, FILTER_NAMES);
    const { q: text, event: type, state } = filters;
    const found = store.deliveries.latest(readBefore(c), PAGE_SIZE + 1, { text, type, status: state });
    const isFiltered = Object.keys(filters).length > 0;
    const before = c.req.query('before');
    const shown = found.slice(0, PAGE_SIZE);
    const last = shown.at(-1);
    return send(c, {
      tab: 'Deliveries',
      status,
      body: panes({
        heading: 'Deliveries',
        tools: html`<a class="button solid" href="/deliveries/send">Send an event</a>`,
        filter: filterBar('/deliveries', 'ID, receiver or body', FILTERS, filters),
        list:
          isFiltered && shown.length === 0
            ? noMatches('deliveries', '/deliveries')
            : deliveryList(
                shown.map((delivery) => ({ ...delivery, attempts: store.attempts.of(delivery.id) })),
                (id) => detailPath(c, `/deliveries/${id}`, {}, filters),
                openId,
                now(),
              ),
        newest: before === undefined ? undefined : pathWith('/deliveries', filters),
        older:
          found.length > PAGE_SIZE && last !== undefined
            ? pathWith('/deliveries', { ...filters, before: String(last.seq) })
            : undefined,
        detail,
        listPath: pathWith('/deliveries', { ...filters, before }),
      }),
    });
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) => show(c, undefined, undefined));

  routes.get('/send', (c) => {
    const type = readType(c.req.query('type') ?? DEFAULT_EVENT);
    const sample = JSON.stringify(EVENTS[type].sampleData, null, 2);
    return show(c, undefined, sendForm(type, sample));
  });

  routes.post('/send', async (c) => {
    const field = await readForm(c);
    const type = readType(field('type'));
    const data = parseData(field('data'));
    if (typeof data === 'string') return show(c, undefined, sendForm(type, field('data'), data), 422);
    const event = orPageError(422, () => control.emit(type, data));
    const [delivery] = store.deliveries.latest(Number.MAX_SAFE_INTEGER, 1);
    return delivery?.eventId === event.id
      ? redirectWithNotice(c, `/deliveries/${delivery.id}`, 'sent')
      : redirectWithNotice(c, '/deliveries', 'unheard');
  });

  routes.get('/:id', (c) => {
    const delivery = store.deliveries.find(c.req.param('id'));
    if (delivery === undefined) throw new PageError(404, 'Delivery not found. It may have been deleted.');
    const attempts = store.attempts.of(delivery.id);
    const chosen =
      attempts.find(({ number }) => String(number) === c.req.query('attempt')) ?? attempts.at(-1);
    return show(
      c,
      delivery.id,
      deliveryDetail({
        delivery,
        attempts,
        chosen,
        attemptPath: (number) =>
          detailPath(
            c,
            `/deliveries/${delivery.id}`,
            { attempt: String(number) },
            readFilters(c, FILTER_NAMES),
          ),
        secret: store.subscriptions.find(delivery.subscriptionId)?.secret ?? '',
        canRedeliver: !store.subscriptions.isRemoved(delivery.subscriptionId),
        now: now(),
      }),
    );
  });

  for (const [path, newDeliveryId, notice] of [
    ['replay', false, 'replayed'],
    ['resend', true, 'resent'],
  ] as const)
    routes.post(`/:id/${path}`, (c) => {
      const id = orPageError(409, () => control.redeliver(c.req.param('id'), { newDeliveryId }));
      return redirectWithNotice(c, `/deliveries/${id}`, notice);
    });
  return routes;
}

function readType(value: string): EventType {
  const type = EVENT_TYPES.find((known) => known === value);
  if (type === undefined) throw new PageError(422, `Unknown event ${value}.`);
  return type;
}

/** Parses an event's data from a form, or returns the problem as a sentence. */
function parseData(text: string): Record<string, unknown> | string {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      return 'The data must be a JSON object: { … }.';
    return data as Record<string, unknown>;
  } catch (error) {
    return `The data isn't valid JSON: ${(error as Error).message}.`;
  }
}

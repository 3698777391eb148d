import { checkWebhookUrl, EVENT_TYPES, OPERATION_SCOPES, type EventType } from '@qr-service/core';
import { Hono } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { refuse } from '../../apiFailure.ts';
import { send } from '../response/sendResponse.ts';
import { readFields, type FieldCheck } from '../../../validation/checks.ts';
import type { ChangeHandler } from '../middleware/idempotency.ts';
import type { Env } from '../../env.ts';
import { requireScope } from '../middleware/authenticate.ts';

/** `POST /webhooks`, and `DELETE /webhooks/{id}`, which the API text does not show. */
export function webhookRoutes({ store, wire, now }: EmulatorContext, change: ChangeHandler): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post(
    '/',
    requireScope(OPERATION_SCOPES['webhooks.subscribe']),
    change((_c, body) => {
      const { url, eventTypes } = readFields(body, { url: isPublicUrl, eventTypes: isEventList });
      const types = [...new Set(eventTypes as EventType[])];
      return wire.subscribed(store.subscriptions.create(url as string, types, now()));
    }),
  );
  routes.delete('/:id', requireScope(OPERATION_SCOPES['webhooks.unsubscribe']), (c) => {
    const id = c.req.param('id');
    const remove = () => {
      if (!store.subscriptions.remove(id, now()))
        throw refuse('not_found', `There is no webhook subscription ${id}.`);
      store.deliveries.cancel(id);
    };
    return send(c, wire.unsubscribed(id, remove));
  });
  return routes;
}

/** Checks for an address that the service delivers to. */
export const isPublicUrl: FieldCheck = (value) => {
  const problem = typeof value === 'string' ? checkWebhookUrl(value) : 'It is no text.';
  return problem === undefined ? undefined : `must be HTTPS on a public host (${problem.replace(/\.$/, '')})`;
};

/** Checks for a list of events. */
export const isEventList: FieldCheck = (value) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one event name';
  const unknown = value.filter((type) => !EVENT_TYPES.includes(type as EventType));
  return unknown.length === 0 ? undefined : `has names that are no events: ${unknown.map(String).join(', ')}`;
};

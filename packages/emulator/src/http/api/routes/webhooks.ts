import { OPERATION_SCOPES } from '@qr-service/core/connector';
import type { EventType } from '@qr-service/core';
import { Hono } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { isEventTypeList, isWebhookUrl } from '../../../validation/webhookChecks.ts';
import { apiFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';
import type { IdempotentHandler } from '../middleware/idempotency.ts';
import { requireScope } from '../middleware/requireScope.ts';
import { readFields } from '../request/readFields.ts';
import { sendResponse } from '../response/sendResponse.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';

/** `POST /webhooks`, and `DELETE /webhooks/{id}`, which the API text doesn't document. */
export function webhookRoutes(
  { subscriptions }: EmulatorContext,
  wire: ResponseFormatter,
  idempotent: IdempotentHandler,
): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post(
    '/',
    requireScope(OPERATION_SCOPES['webhooks.subscribe']),
    idempotent((_c, body) => {
      const { url, eventTypes } = readFields(body, { url: isWebhookUrl, eventTypes: isEventTypeList });
      return wire.subscribed(subscriptions.create(url as string, eventTypes as EventType[]));
    }),
  );
  routes.delete('/:id', requireScope(OPERATION_SCOPES['webhooks.unsubscribe']), (c) => {
    const id = c.req.param('id');
    const remove = () => {
      if (!subscriptions.remove(id))
        throw apiFailure('not_found', `No webhook subscription with ID ${id} was found.`);
    };
    return sendResponse(c, wire.unsubscribed(id, remove));
  });
  return routes;
}

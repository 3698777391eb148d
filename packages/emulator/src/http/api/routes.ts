import { STATUS_CODES } from 'node:http';
import { OPERATION_SCOPES } from '@qr-service/core/connector';
import { Hono, type Context } from 'hono';
import { z } from 'zod';
import type { EmulatorContext } from '../../control/context.ts';
import { EVENT_TYPE_LIST, WEBHOOK_URL } from '../../validation/checks.ts';
import { sendBody } from '../bodies.ts';
import type { Env } from '../env.ts';
import { ApiFailure, apiFailure, validationFailure } from '../failures.ts';
import { pageBody, scanRow, sendJson, subscriptionBody } from './format.ts';
import type { IdempotentHandler } from './idempotency.ts';
import { readCursor, readFields, readLimit, readSince, writeCursor } from './input.ts';
import { requireScope } from './middleware.ts';

/** `GET /me`. */
export function accountRoutes({ store }: EmulatorContext): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', (c) => {
    const { scopes, name } = c.var.apiKey;
    return sendJson(c, { workspace: store.workspace, scopes, key: { name } });
  });
  return routes;
}

/** `GET /scans`: the history, oldest first. Scans never change, so the sequence number makes a stable cursor. */
export function scanRoutes({ store, settings, now }: EmulatorContext): Hono<Env> {
  function readStart(c: Context<Env>): { since: number; after: number } {
    const { since: text, cursor } = c.req.query();
    const start = { since: readSince('since', text, settings().listSince), after: 0 };
    if (cursor === undefined) return start;
    const read = readCursor(cursor, 'scans', start);
    if (text !== undefined && read.since !== start.since)
      throw validationFailure({ since: 'must stay the same on all pages of a list' });
    return read;
  }

  const routes = new Hono<Env>();
  routes.get('/', requireScope(OPERATION_SCOPES['scans.list']), (c) => {
    const { allowedDimensions, visibleAfterMs, maxLimit } = settings();
    const limit = readLimit(c.req.query('limit'), maxLimit);
    const { since, after } = readStart(c);
    const until = visibleAfterMs === 0 ? Infinity : now() - visibleAfterMs;
    const found = store.scans.walk({ after, since, until, count: limit + 1 });
    const page = found.slice(0, limit);
    const last = page.at(-1)?.seq ?? after;
    const cursor = found.length > limit ? writeCursor('scans', { since, after: last }) : null;
    const rows = page.map((scan) => scanRow(scan, allowedDimensions));
    return sendJson(c, pageBody(rows, cursor, { allowedDimensions }));
  });
  return routes;
}

const NEW_SUBSCRIPTION = z.object({ url: WEBHOOK_URL, eventTypes: EVENT_TYPE_LIST });

/** `POST /webhooks`, and `DELETE /webhooks/{id}`, which isn't documented (docs/api.md#webhook-subscriptions). */
export function webhookRoutes(
  { store, settings, now }: EmulatorContext,
  idempotent: IdempotentHandler,
): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post(
    '/',
    requireScope(OPERATION_SCOPES['webhooks.subscribe']),
    idempotent((_c, body) => {
      const { url, eventTypes } = readFields(body, NEW_SUBSCRIPTION);
      const created = store.subscriptions.create(url, [...new Set(eventTypes)], now());
      return { status: 201, body: subscriptionBody(created) };
    }),
  );
  routes.delete('/:id', requireScope(OPERATION_SCOPES['webhooks.unsubscribe']), (c) => {
    const id = c.req.param('id');
    const { unsubscribe: status } = settings();
    if (status === 404) throw apiFailure('not_found', `No endpoint DELETE /webhooks/${id} exists.`);
    if (status >= 400) {
      const title = STATUS_CODES[status] ?? '';
      throw new ApiFailure(title.toLowerCase().replaceAll(' ', '_'), status, `${title}.`);
    }
    if (!store.subscriptions.remove(id, now()))
      throw apiFailure('not_found', `No webhook subscription with ID ${id} was found.`);
    return sendBody(c, status, status === 204 ? null : JSON.stringify({ id, removed: true }));
  });
  return routes;
}

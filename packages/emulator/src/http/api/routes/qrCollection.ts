import { OPERATION_SCOPES } from '@qr-service/core/connector';
import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import type { WireShape } from '@qr-service/core/shape';
import { endOf, startOf, WALK_LIFETIME_MS, type WalkPlace } from '../../../store/codes.ts';
import { isAbsoluteUrl, isOneOf, isText } from '../../../validation/checks.ts';
import { validationFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';
import type { IdempotentHandler } from '../middleware/idempotency.ts';
import { requireScope } from '../middleware/requireScope.ts';
import { invalidCursor, readCursor, writeCursor } from '../request/cursor.ts';
import { readLimit, readTimestamp } from '../request/query.ts';
import { readFields } from '../request/readFields.ts';
import { sendResponse } from '../response/sendResponse.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';

/** Name of a new code for each form of the wire shape. */
const NAMES: Record<Required<WireShape>['createdName'], (sent: string) => string> = {
  'as sent': (sent) => sent,
  trimmed: (sent) => sent.trim().replaceAll(/\s+/g, ' '),
  'upper case': (sent) => sent.toUpperCase(),
  suffixed: (sent) => `${sent} (1)`,
};

/** The QR collection: `GET` and `POST /qr`, and the same under the legacy workspace path. */
export function qrCollectionRoutes(
  context: EmulatorContext,
  wire: ResponseFormatter,
  idempotent: IdempotentHandler,
): Hono<Env> {
  const { store, codes, settings, wireShape, summarize, now } = context;

  /** Where the page starts: from the cursor, or, for the first page, from `updatedSince`. */
  function readStart(c: Context<Env>): WalkPlace {
    const earliest = wire.earliestSince(readTimestamp('updatedSince', c.req.query('updatedSince')) ?? 0);
    const since = store.qrCodes.firstWriteSince(earliest);
    const cursor = c.req.query('cursor');
    const start = startOf(wire.order, since, store.qrCodes.snapshot(settings.current().visibleAfterMs));
    if (cursor === undefined) return start;
    const read = readCursor(cursor, 'qr', start);
    if (read.snapshot < now() - WALK_LIFETIME_MS) throw invalidCursor();
    if (c.req.query('updatedSince') !== undefined && read.since !== since)
      throw validationFailure({ updatedSince: 'must stay the same on all pages of a list' });
    return read;
  }

  const routes = new Hono<Env>();
  routes.get('/', requireScope(OPERATION_SCOPES['qr.list']), (c) => {
    const limit = readLimit(c.req.query('limit'), wire);
    const at = readStart(c);
    const found = store.qrCodes.walk(wire.order, { ...at, count: limit + 1 });
    const page = found.slice(0, limit);
    const next = found[limit];
    const from = next === undefined ? endOf(wire.order) : store.qrCodes.placeOf(wire.order, next);
    const cursor = next === undefined && !wire.isFeed ? null : writeCursor('qr', { ...at, from });
    const rows = page.map(summarize);
    return sendResponse(c, wire.list(rows, cursor));
  });
  routes.post(
    '/',
    requireScope(OPERATION_SCOPES['qr.create']),
    idempotent((_c, body) => {
      const input = readFields(body, {
        name: isText(200),
        mode: isOneOf(['dynamic']),
        contentType: isOneOf(['url']),
        'content.targetUrl': isAbsoluteUrl,
      }) as Record<'name' | 'mode' | 'contentType' | 'content.targetUrl', string>;
      const { mode, contentType, 'content.targetUrl': targetUrl } = input;
      const name = NAMES[wireShape.current().createdName](input.name);
      return wire.created(summarize(codes.create({ name, mode, contentType, targetUrl }, 'public_api')));
    }),
  );
  return routes;
}

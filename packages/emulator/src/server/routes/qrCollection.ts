import { OPERATION_SCOPES } from '@qr-service/core';
import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../../context.ts';
import { qrSummary } from '../../service/qrSummary.ts';
import { WALK_LIFETIME_MS } from '../../store/qrCodes.ts';
import { invalid } from '../apiFailure.ts';
import { send } from '../answer.ts';
import { isAbsoluteUrl, isOneOf, isText, readFields } from '../body.ts';
import type { ChangeHandler } from '../change.ts';
import { readCursor, unusableCursor, writeCursor } from '../cursor.ts';
import type { Env } from '../env.ts';
import { requireScope } from '../middleware/authenticate.ts';
import { readLimit, readTimestamp } from '../query.ts';
import { createdAnswer, firstTimeSince, listAnswer } from '../wireShape.ts';

const CURSOR = ['snapshot', 'since', 'from'] as const;

/** The QR collection: `GET` and `POST /qr`, and the same under the legacy workspace path. */
export function qrCollectionRoutes(context: EmulatorContext, change: ChangeHandler): Hono<Env> {
  const { store, codes, redirectUrl, now } = context;

  /** Where the page begins: the cursor says it, or, on the first page, `updatedSince`. */
  function place(c: Context<Env>): Record<(typeof CURSOR)[number], number> {
    const since = firstTimeSince(readTimestamp('updatedSince', c.req.query('updatedSince')) ?? 0);
    const cursor = c.req.query('cursor');
    if (cursor === undefined) return { snapshot: store.qrCodes.snapshot(), since, from: since };
    const read = readCursor(cursor, 'qr', CURSOR);
    if (read.snapshot < now() - WALK_LIFETIME_MS) throw unusableCursor();
    if (c.req.query('updatedSince') !== undefined && read.since !== since)
      throw invalid({ updatedSince: 'must not change while a list is walked' });
    return read;
  }

  const routes = new Hono<Env>();
  routes.get('/', requireScope(OPERATION_SCOPES['qr.list']), (c) => {
    const limit = readLimit(c.req.query('limit'));
    const { snapshot, since, from } = place(c);
    const found = store.qrCodes.walk({ snapshot, from, count: limit + 1 });
    const page = found.slice(0, limit);
    const next = found[limit]?.updatedAt;
    const cursor = next === undefined ? null : writeCursor('qr', { snapshot, since, from: next });
    const rows = page.map((code) => qrSummary(code, redirectUrl()));
    return send(c, listAnswer(rows, cursor));
  });
  routes.post(
    '/',
    requireScope(OPERATION_SCOPES['qr.create']),
    change((_c, body) => {
      const input = readFields(body, {
        name: isText(200),
        mode: isOneOf(['dynamic']),
        contentType: isOneOf(['url']),
        'content.targetUrl': isAbsoluteUrl,
      }) as Record<'name' | 'mode' | 'contentType' | 'content.targetUrl', string>;
      const { name, mode, contentType, 'content.targetUrl': targetUrl } = input;
      const code = codes.create({ name, mode, contentType, targetUrl }, 'public_api');
      return createdAnswer(qrSummary(code, redirectUrl()));
    }),
  );
  return routes;
}

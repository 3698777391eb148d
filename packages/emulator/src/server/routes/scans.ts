import { OPERATION_SCOPES } from '@qr-service/core';
import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../../context.ts';
import { invalid } from '../apiFailure.ts';
import { send } from '../answer.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { Env } from '../env.ts';
import { requireScope } from '../middleware/authenticate.ts';
import { readLimit, readTimestamp } from '../query.ts';
import { firstTimeSince, listAnswer, scanRow } from '../wireShape.ts';

const CURSOR = ['since', 'after'] as const;

/** `GET /scans`: the history forward. Scans never change, so their place in it is a stable cursor. */
export function scanRoutes({ store, allowedDimensions }: EmulatorContext): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', requireScope(OPERATION_SCOPES['scans.list']), (c) => {
    const limit = readLimit(c.req.query('limit'));
    const { since, after } = place(c);
    const found = store.scans.walk({ after, since, count: limit + 1 });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const cursor = last === undefined ? null : writeCursor('scans', { since, after: last.seq });
    const rows = page.map((scan) => scanRow(scan, allowedDimensions));
    return send(c, listAnswer(rows, cursor, { allowedDimensions }));
  });
  return routes;
}

function place(c: Context<Env>): Record<(typeof CURSOR)[number], number> {
  const since = firstTimeSince(readTimestamp('since', c.req.query('since')) ?? 0);
  const cursor = c.req.query('cursor');
  if (cursor === undefined) return { since, after: 0 };
  const read = readCursor(cursor, 'scans', CURSOR);
  if (c.req.query('since') !== undefined && read.since !== since)
    throw invalid({ since: 'must not change while a list is walked' });
  return read;
}

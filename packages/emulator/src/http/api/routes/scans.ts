import { OPERATION_SCOPES } from '@qr-service/core/connector';
import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { validationFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';
import { requireScope } from '../middleware/requireScope.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { readLimit, readTimestamp } from '../request/query.ts';
import { sendResponse } from '../response/sendResponse.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';

/** After every scan. */
const LATEST = Number.MAX_SAFE_INTEGER;

/** `GET /scans`: the history, oldest first. Scans never change, so the sequence number makes a stable cursor. */
export function scanRoutes({ store, settings, now }: EmulatorContext, wire: ResponseFormatter): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', requireScope(OPERATION_SCOPES['scans.list']), (c) => {
    const limit = readLimit(c.req.query('limit'), wire);
    const { since, after } = readStart(c, wire);
    const { allowedDimensions, visibleAfterMs } = settings.current();
    const until = visibleAfterMs === 0 ? LATEST : now() - visibleAfterMs;
    const found = store.scans.walk({ after, since, until, count: limit + 1 });
    const page = found.slice(0, limit);
    const hasNext = found.length > limit || wire.isScanFeed;
    const cursor = hasNext ? writeCursor('scans', { since, after: page.at(-1)?.seq ?? after }) : null;
    const rows = page.map((scan) => wire.scan(scan, allowedDimensions));
    return sendResponse(c, wire.list(rows, cursor, { allowedDimensions }));
  });
  return routes;
}

function readStart(c: Context<Env>, wire: ResponseFormatter): { since: number; after: number } {
  const since = wire.earliestSince(readTimestamp('since', c.req.query('since')) ?? 0);
  const cursor = c.req.query('cursor');
  const start = { since, after: 0 };
  if (cursor === undefined) return start;
  const read = readCursor(cursor, 'scans', start);
  if (c.req.query('since') !== undefined && read.since !== since)
    throw validationFailure({ since: 'must stay the same on all pages of a list' });
  return read;
}

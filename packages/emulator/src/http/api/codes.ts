import type { ImageFormat } from '@qr-service/core';
import { IMAGE_FORMATS, OPERATION_SCOPES } from '@qr-service/core/connector';
import { Hono, type Context } from 'hono';
import { z } from 'zod';
import type { EmulatorContext } from '../../control/context.ts';
import { renderCard, SIZES } from '../../domain/render.ts';
import { startOf, WALK_LIFETIME_MS, type WalkPlace } from '../../store/codes.ts';
import type { QrRecord } from '../../store/records.ts';
import { ABSOLUTE_URL, oneOf, text } from '../../validation/checks.ts';
import type { Env } from '../env.ts';
import { apiFailure, validationFailure } from '../failures.ts';
import { pageBody, sendJson } from './format.ts';
import type { IdempotentHandler } from './idempotency.ts';
import {
  invalidCursor,
  readCursor,
  readFields,
  readInteger,
  readLimit,
  readSince,
  writeCursor,
} from './input.ts';
import { requireScope } from './middleware.ts';

const NEW_CODE = z.object({
  name: text(200),
  mode: oneOf(['dynamic']),
  contentType: oneOf(['url']),
  content: z.preprocess(Object, z.object({ targetUrl: ABSOLUTE_URL })),
});
const DESTINATION = z.object({ url: ABSOLUTE_URL });

/** The QR collection: `GET` and `POST /qr`, and the same under the legacy workspace path. */
export function codeCollectionRoutes(
  { store, codes, settings, summarize, now }: EmulatorContext,
  idempotent: IdempotentHandler,
): Hono<Env> {
  /** Where the page starts: from the cursor, or, for the first page, from `updatedSince`. */
  function readStart(c: Context<Env>): WalkPlace {
    const { listOrder, listSince, visibleAfterMs } = settings();
    const { updatedSince, cursor } = c.req.query();
    const since = store.qrCodes.firstWriteSince(readSince('updatedSince', updatedSince, listSince));
    const start = startOf(listOrder, since, store.qrCodes.snapshot(visibleAfterMs));
    if (cursor === undefined) return start;
    const read = readCursor(cursor, 'qr', start);
    if (read.snapshot < now() - WALK_LIFETIME_MS) throw invalidCursor();
    if (updatedSince !== undefined && read.since !== since)
      throw validationFailure({ updatedSince: 'must stay the same on all pages of a list' });
    return read;
  }

  const routes = new Hono<Env>();
  routes.get('/', requireScope(OPERATION_SCOPES['qr.list']), (c) => {
    const { listOrder, maxLimit } = settings();
    const limit = readLimit(c.req.query('limit'), maxLimit);
    const start = readStart(c);
    const found = store.qrCodes.walk(listOrder, { ...start, count: limit + 1 });
    const next = found[limit];
    const cursor =
      next === undefined
        ? null
        : writeCursor('qr', { ...start, from: store.qrCodes.placeOf(listOrder, next) });
    return sendJson(c, pageBody(found.slice(0, limit).map(summarize), cursor));
  });
  routes.post(
    '/',
    requireScope(OPERATION_SCOPES['qr.create']),
    idempotent((_c, body) => {
      const { content, ...input } = readFields(body, NEW_CODE);
      const code = codes.create({ ...input, ...content }, 'public_api');
      return { status: 201, body: summarize(code) };
    }),
  );
  return routes;
}

/** One code: `GET /qr/{id}`, its image, publish and destination. */
export function codeRoutes(
  { store, codes, settings, summarize }: EmulatorContext,
  idempotent: IdempotentHandler,
): Hono<Env> {
  /** @param lagMs how old the code may be */
  function find(c: Context<Env>, lagMs = 0): QrRecord {
    const id = c.req.param('id') ?? '';
    const code = store.qrCodes.find(id, lagMs);
    if (code === undefined) throw apiFailure('not_found', `No QR code with ID ${id} was found.`);
    return code;
  }

  const routes = new Hono<Env>();
  routes.get('/:id', requireScope(OPERATION_SCOPES['qr.get']), (c) =>
    sendJson(c, summarize(find(c, settings().readLagMs))),
  );
  routes.post(
    '/:id/publish',
    requireScope(OPERATION_SCOPES['qr.publish']),
    idempotent((c) => {
      const code = find(c);
      if (code.status === 'archived')
        throw validationFailure({ status: 'is archived, and an archived code stays offline' });
      return { status: 200, body: summarize(codes.publish(code, 'public_api')) };
    }),
  );
  routes.post(
    '/:id/destination',
    requireScope(OPERATION_SCOPES['qr.retarget']),
    idempotent((c, body) => {
      const code = find(c);
      const { url } = readFields(body, DESTINATION);
      return { status: 200, body: summarize(codes.retarget(code, url, 'public_api')) };
    }),
  );
  routes.get('/:id/image', requireScope(OPERATION_SCOPES['qr.render']), async (c) => {
    const code = find(c);
    const format = readFormat(c.req.query('format') ?? 'png');
    const size = readInteger('size', c.req.query('size'), SIZES);
    const { bytes, contentType } = await renderCard(summarize(code).publicUrl, code.name, format, size);
    c.header('Content-Type', contentType);
    c.header('Content-Disposition', `attachment; filename="${code.slug}.${format}"`);
    return c.body(bytes);
  });
  return routes;
}

function readFormat(value: string): ImageFormat {
  const format = IMAGE_FORMATS.find((known) => known === value);
  if (format === undefined)
    throw validationFailure({ format: `must be one of: ${IMAGE_FORMATS.join(', ')}` });
  return format;
}

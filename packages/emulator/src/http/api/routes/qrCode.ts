import { IMAGE_FORMATS, OPERATION_SCOPES } from '@qr-service/core/connector';
import type { ImageFormat } from '@qr-service/core';
import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { renderCard, SIZES } from '../../../render/index.ts';
import type { QrRecord } from '../../../store/records.ts';
import { isAbsoluteUrl } from '../../../validation/checks.ts';
import { apiFailure, validationFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';
import type { IdempotentHandler } from '../middleware/idempotency.ts';
import { requireScope } from '../middleware/requireScope.ts';
import { readInteger } from '../request/query.ts';
import { readFields } from '../request/readFields.ts';
import { sendResponse } from '../response/sendResponse.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';

/** One code: `GET /qr/{id}`, its image, publish and destination. */
export function qrCodeRoutes(
  context: EmulatorContext,
  wire: ResponseFormatter,
  idempotent: IdempotentHandler,
): Hono<Env> {
  const { store, codes, summarize, wireShape } = context;

  /** @param lagMs how old the code may be */
  function find(c: Context<Env>, lagMs = 0): QrRecord {
    const id = c.req.param('id') ?? '';
    const code = store.qrCodes.find(id, lagMs);
    if (code === undefined) throw apiFailure('not_found', `No QR code with ID ${id} was found.`);
    return code;
  }

  const isIgnored = (request: 'publish' | 'destination') =>
    ['both', request].includes(wireShape.current().ignored);

  const routes = new Hono<Env>();
  routes.get('/:id', requireScope(OPERATION_SCOPES['qr.get']), (c) =>
    sendResponse(c, wire.code(summarize(find(c, wireShape.current().readLagMs)))),
  );
  routes.post(
    '/:id/publish',
    requireScope(OPERATION_SCOPES['qr.publish']),
    idempotent((c) => {
      const code = find(c);
      if (code.status === 'archived' && !isIgnored('publish'))
        throw validationFailure({ status: 'is archived, and an archived code stays offline' });
      return wire.changed(summarize(isIgnored('publish') ? code : codes.publish(code, 'public_api')));
    }),
  );
  routes.post(
    '/:id/destination',
    requireScope(OPERATION_SCOPES['qr.retarget']),
    idempotent((c, body) => {
      const code = find(c);
      const { url } = readFields(body, { url: isAbsoluteUrl });
      const changed = isIgnored('destination') ? code : codes.retarget(code, url as string, 'public_api');
      return wire.changed(summarize(changed));
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

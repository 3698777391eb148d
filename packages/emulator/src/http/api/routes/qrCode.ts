import { IMAGE_FORMATS, OPERATION_SCOPES, type ImageFormat } from '@qr-service/core';
import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { renderCard, SIZES } from '../../../render/index.ts';
import { publicUrl, qrSummary } from '../../../domain/qrSummary.ts';
import type { QrRecord } from '../../../store/qrCodes.ts';
import { invalid, refuse } from '../../apiFailure.ts';
import { send } from '../response/sendResponse.ts';
import { isAbsoluteUrl, readFields } from '../../../validation/checks.ts';
import type { ChangeHandler } from '../middleware/idempotency.ts';
import type { Env } from '../../env.ts';
import { requireScope } from '../middleware/authenticate.ts';
import { readInteger } from '../request/query.ts';

/** One code: `GET /qr/{id}`, its image, publish and destination. */
export function qrCodeRoutes(context: EmulatorContext, change: ChangeHandler): Hono<Env> {
  const { store, codes, redirectUrl, wire } = context;
  const summary = (code: QrRecord) => qrSummary(code, redirectUrl());

  function find(c: Context<Env>): QrRecord {
    const id = c.req.param('id') ?? '';
    const code = store.qrCodes.find(id);
    if (code === undefined) throw refuse('not_found', `There is no QR code ${id} in the key's workspace.`);
    return code;
  }

  const routes = new Hono<Env>();
  routes.get('/:id', requireScope(OPERATION_SCOPES['qr.get']), (c) => send(c, wire.code(summary(find(c)))));
  routes.post(
    '/:id/publish',
    requireScope(OPERATION_SCOPES['qr.publish']),
    change((c) => {
      const code = find(c);
      if (code.status === 'archived')
        throw invalid({ status: 'is archived, and an archived code stays offline' });
      return wire.changed(summary(codes.publish(code, 'public_api')));
    }),
  );
  routes.post(
    '/:id/destination',
    requireScope(OPERATION_SCOPES['qr.retarget']),
    change((c, body) => {
      const code = find(c);
      const { url } = readFields(body, { url: isAbsoluteUrl });
      return wire.changed(summary(codes.retarget(code, url as string, 'public_api')));
    }),
  );
  routes.get('/:id/image', requireScope(OPERATION_SCOPES['qr.render']), async (c) => {
    const code = find(c);
    const format = readFormat(c.req.query('format'));
    const size = readInteger('size', c.req.query('size'), SIZES);
    const { bytes, contentType } = await renderCard(publicUrl(code, redirectUrl()), code.name, format, size);
    c.header('Content-Type', contentType);
    c.header('Content-Disposition', `attachment; filename="${code.slug}.${format}"`);
    return c.body(bytes);
  });
  return routes;
}

function readFormat(value: string | undefined): ImageFormat {
  const format = IMAGE_FORMATS.find((known) => known === (value ?? 'png'));
  if (format === undefined) throw invalid({ format: `must be one of: ${IMAGE_FORMATS.join(', ')}` });
  return format;
}

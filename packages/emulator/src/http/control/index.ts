import { Hono, type Context } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import type { Control } from '../../control/control.ts';
import { RecordNotFoundError } from '../../domain/RecordNotFoundError.ts';
import { CONTRADICTIONS } from '@qr-service/core/shape';
import { OPEN_FORMS } from '../../config/wireShape.ts';
import { checkObject, InputError } from '../../validation/checkObject.ts';
import { ApiFailure } from '../apiFailure.ts';
import type { Env } from '../env.ts';
import { readBody } from '../readBody.ts';
import { requireSameOrigin } from './requireSameOrigin.ts';
import { CONTROL_ROUTES, type ControlRequest, type ControlRoute } from './routes.ts';

/** Path of the control API on the emulator's address. */
export const CONTROL_PATH = '/_emulator';

/**
 * `control` over HTTP, for other processes. It isn't part of the service's API: it needs no key, has no rate limit, and
 * its requests aren't recorded.
 */
export function createControlApi({ host, log }: EmulatorContext, control: Control): Hono<Env> {
  const api = new Hono<Env>();
  api.use(requireSameOrigin(host));
  api.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
  });

  api.get('/', (c) =>
    c.json({
      routes: CONTROL_ROUTES.map(({ method, path, does }) => ({ method, path: CONTROL_PATH + path, does })),
      wireShape: OPEN_FORMS,
      faults: { contradictions: CONTRADICTIONS },
    }),
  );
  for (const route of CONTROL_ROUTES)
    api.on(route.method, route.path, async (c) => {
      const body = await readRouteBody(c, route);
      const request = { id: c.req.param('id') ?? '', body, query: c.req.query() };
      const result = await runRoute(route, control, request);
      return result === undefined ? c.body(null, 204) : c.json(result);
    });
  api.all('*', (c) =>
    c.json(
      { error: `${c.req.method} ${c.req.path} doesn't exist. GET ${CONTROL_PATH} lists the routes.` },
      404,
    ),
  );

  api.onError((error, c) => {
    if (error instanceof InputError) return c.json({ error: error.message, field: error.field }, 400);
    if (error instanceof ApiFailure) return c.json({ error: error.message, field: '' }, 400);
    if (error instanceof RecordNotFoundError) return c.json({ error: error.message }, 404);
    log(`internal error: ${error.stack ?? error.message}`);
    return c.json({ error: 'Internal error of the emulator. See its log.' }, 500);
  });
  return api;
}

/** @throws InputError for input that the control rejects */
async function runRoute(route: ControlRoute, control: Control, request: ControlRequest): Promise<unknown> {
  try {
    return await route.run(control, request);
  } catch (error) {
    if (!(error instanceof TypeError) || error instanceof InputError) throw error;
    throw new InputError('', `can't be used: ${error.message.replace(/\.$/, '')}`);
  }
}

/**
 * @throws InputError for a body that isn't JSON, or has invalid fields
 * @throws ApiFailure for a body that is too large, not UTF-8 or incomplete
 */
async function readRouteBody(
  c: Context<Env>,
  { body: fields = {} }: ControlRoute,
): Promise<Record<string, unknown>> {
  const text = await readBody(c.env.incoming);
  let body: unknown = {};
  try {
    if (text.trim() !== '') body = JSON.parse(text);
  } catch {
    throw new InputError('', 'must be valid JSON');
  }
  checkObject(body, '', fields);
  return body as Record<string, unknown>;
}

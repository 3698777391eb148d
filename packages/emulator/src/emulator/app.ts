import { API_PATH } from '@qr-service/core/connector';
import { Hono } from 'hono';
import type { EmulatorContext } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import { createApi } from '../http/api/index.ts';
import { sendResponse } from '../http/api/response/sendResponse.ts';
import { createResponseFormatter } from '../http/api/response/responseFormatter.ts';
import { ApiFailure, apiFailure } from '../http/apiFailure.ts';
import { CONTROL_PATH, createControlApi } from '../http/control/index.ts';
import type { Env } from '../http/env.ts';
import { noteFailure } from '../http/noteFailure.ts';
import { recordRequest } from '../http/recordRequest.ts';
import { REDIRECT_PATH, redirectRoutes } from '../http/redirect/routes.ts';
import { createInspector } from '../inspector/index.ts';

/** Everything that the emulator serves, on one port. */
export function createApp(context: EmulatorContext, control: Control): Hono<Env> {
  const wire = createResponseFormatter(context.wireShape.current, context.fixed);
  const app = new Hono<Env>();
  // Registered before `recordRequest`, so that requests to the inspector and the control API stay out of the log.
  app.route('/', createInspector(context, control));
  app.route(CONTROL_PATH, createControlApi(context, control));
  app.use(recordRequest(context));
  app.route(API_PATH, createApi(context, wire));
  app.route(REDIRECT_PATH, redirectRoutes(context));
  app.notFound((c) => {
    throw apiFailure('not_found', `No endpoint ${c.req.method} ${c.req.path} exists.`);
  });
  app.onError((error, c) => {
    const failure = error instanceof ApiFailure ? error : internal(error);
    noteFailure(c, failure);
    return sendResponse(c, wire.failure(failure, c.var.requestId));
  });
  return app;

  function internal(error: Error): ApiFailure {
    context.log(`internal error: ${error.stack ?? error.message}`);
    return new ApiFailure('internal_error', 500, 'Internal error of the emulator. See its log.');
  }
}

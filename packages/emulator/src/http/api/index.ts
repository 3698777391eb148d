import { Hono } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import { apiFailure } from '../apiFailure.ts';
import type { Env } from '../env.ts';
import { authenticate, identify } from './middleware/authenticate.ts';
import { waitForFaultDelay } from './middleware/faultDelay.ts';
import { ignoreParameters, repeatFixedResponse } from './middleware/fixedResponses.ts';
import { idempotentHandler } from './middleware/idempotency.ts';
import { injectFault } from './middleware/injectFault.ts';
import { rateLimit } from './middleware/rateLimit.ts';
import type { ResponseFormatter } from './response/responseFormatter.ts';
import { accountRoutes } from './routes/account.ts';
import { qrCodeRoutes } from './routes/qrCode.ts';
import { qrCollectionRoutes } from './routes/qrCollection.ts';
import { scanRoutes } from './routes/scans.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** The public API, without its path prefix. */
export function createApi(context: EmulatorContext, wire: ResponseFormatter): Hono<Env> {
  const idempotent = idempotentHandler(context, wire);
  const collection = qrCollectionRoutes(context, wire, idempotent);
  const api = new Hono<Env>();

  api.use(identify(context), rateLimit(context, wire), injectFault(context, wire));
  api.use(repeatFixedResponse(context), ignoreParameters(context), authenticate(context));
  api.use(async (c, next) => {
    // A POST waits later, while it holds its Idempotency-Key.
    if (c.req.method !== 'POST') await waitForFaultDelay(c);
    await next();
  });
  api.use('/workspaces/:workspaceId/*', async (c, next) => {
    if (c.req.param('workspaceId') !== context.store.workspace.id) throw apiFailure('workspace_mismatch');
    await next();
  });

  api.route('/me', accountRoutes(context, wire));
  api.route('/qr', collection);
  api.route('/workspaces/:workspaceId/qr', collection);
  api.route('/qr', qrCodeRoutes(context, wire, idempotent));
  api.route('/scans', scanRoutes(context, wire));
  api.route('/webhooks', webhookRoutes(context, wire, idempotent));
  return api;
}

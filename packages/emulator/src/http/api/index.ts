import { Hono } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import { refuse } from '../apiFailure.ts';
import { slowDown } from './response/sendResponse.ts';
import { changeHandler } from './middleware/idempotency.ts';
import type { Env } from '../env.ts';
import { authenticate, identify } from './middleware/authenticate.ts';
import { injectFault } from './middleware/injectFault.ts';
import { rateLimit } from './middleware/rateLimit.ts';
import { accountRoutes } from './routes/account.ts';
import { qrCodeRoutes } from './routes/qrCode.ts';
import { qrCollectionRoutes } from './routes/qrCollection.ts';
import { scanRoutes } from './routes/scans.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** The public API, to be mounted under its path prefix. */
export function createApi(context: EmulatorContext): Hono<Env> {
  const change = changeHandler(context);
  const collection = qrCollectionRoutes(context, change);
  const api = new Hono<Env>();

  api.use(identify(context), rateLimit(context), injectFault(context), authenticate(context));
  api.use(async (c, next) => {
    // A POST waits later, so that its Idempotency-Key is taken meanwhile.
    if (c.req.method !== 'POST') await slowDown(c);
    await next();
  });
  api.use('/workspaces/:workspaceId/*', async (c, next) => {
    if (c.req.param('workspaceId') !== context.store.workspace.id) throw refuse('workspace_mismatch');
    await next();
  });

  api.route('/me', accountRoutes(context));
  api.route('/qr', collection);
  api.route('/workspaces/:workspaceId/qr', collection);
  api.route('/qr', qrCodeRoutes(context, change));
  api.route('/scans', scanRoutes(context));
  api.route('/webhooks', webhookRoutes(context, change));
  return api;
}

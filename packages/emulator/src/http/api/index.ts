import { Hono } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import type { Env } from '../env.ts';
import { apiFailure } from '../failures.ts';
import { codeCollectionRoutes, codeRoutes } from './codes.ts';
import { injectFault, waitForFaultDelay } from './faults.ts';
import { idempotentHandler } from './idempotency.ts';
import { authenticate, identify, rateLimit } from './middleware.ts';
import { rewriteResponses } from './rewrite.ts';
import { accountRoutes, scanRoutes, webhookRoutes } from './routes.ts';

/** The public API, without its path prefix. */
export function createApi(context: EmulatorContext): Hono<Env> {
  const idempotent = idempotentHandler(context);
  const collection = codeCollectionRoutes(context, idempotent);
  const api = new Hono<Env>();

  api.use(rewriteResponses(context), identify(context), rateLimit(context), injectFault(context));
  api.use(authenticate(context));
  api.use(async (c, next) => {
    // A POST waits later, while it holds its Idempotency-Key.
    if (c.req.method !== 'POST') await waitForFaultDelay(c);
    await next();
  });
  api.use('/workspaces/:workspaceId/*', async (c, next) => {
    if (c.req.param('workspaceId') !== context.store.workspace.id) throw apiFailure('workspace_mismatch');
    await next();
  });

  api.route('/me', accountRoutes(context));
  api.route('/qr', collection);
  api.route('/workspaces/:workspaceId/qr', collection);
  api.route('/qr', codeRoutes(context, idempotent));
  api.route('/scans', scanRoutes(context));
  api.route('/webhooks', webhookRoutes(context, idempotent));
  return api;
}

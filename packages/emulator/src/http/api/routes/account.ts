import { Hono } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import type { Env } from '../../env.ts';
import { sendResponse } from '../response/sendResponse.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';

/** `GET /me`. */
export function accountRoutes({ store }: EmulatorContext, wire: ResponseFormatter): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', (c) => sendResponse(c, wire.account(store.workspace, c.var.apiKey)));
  return routes;
}

import { Hono } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { send } from '../response/sendResponse.ts';
import type { Env } from '../../env.ts';

/** `GET /me`. */
export function accountRoutes({ store, wire }: EmulatorContext): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', (c) => send(c, wire.account(store.workspace, c.var.apiKey)));
  return routes;
}

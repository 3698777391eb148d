import { Hono } from 'hono';
import type { EmulatorContext } from '../../context.ts';
import { send } from '../answer.ts';
import type { Env } from '../env.ts';
import { accountAnswer } from '../wireShape.ts';

/** `GET /me`. */
export function accountRoutes({ store }: EmulatorContext): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', (c) => send(c, accountAnswer(store.workspace, c.var.apiKey)));
  return routes;
}

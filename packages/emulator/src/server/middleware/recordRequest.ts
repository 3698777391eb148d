import type { MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../context.ts';
import { newId } from '../../store/ids.ts';
import type { Env } from '../env.ts';

/** Gives every request its id and records what came of it. */
export function recordRequest({ requests, now, log }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const at = now();
    const requestId = newId('req');
    c.set('requestId', requestId);
    await next();
    const { pathname, search } = new URL(c.req.url);
    const entry = {
      at,
      method: c.req.method,
      path: pathname + search,
      status: c.env.incoming.socket.destroyed ? 0 : c.res.status,
      requestId,
      durationMs: now() - at,
    };
    requests.add(entry);
    log(`${entry.method} ${entry.path} → ${entry.status || 'connection cut'}`);
  };
}

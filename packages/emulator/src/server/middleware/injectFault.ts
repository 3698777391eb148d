import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../context.ts';
import { slowDown } from '../answer.ts';
import type { Env } from '../env.ts';
import { faultFailure } from '../faults.ts';

/** Makes the request fail where a fault waits for it. */
export function injectFault({ faults }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const fault = faults.take();
    c.set('delayMs', fault?.delayMs ?? 0);
    if (fault?.drop === 'before') return drop(c);
    const failure = fault === undefined ? undefined : faultFailure(fault);
    if (failure !== undefined) {
      if (failure.status === 429) c.header('Retry-After', '1');
      await slowDown(c);
      throw failure;
    }
    await next();
    if (fault?.drop === 'after') c.res = drop(c);
    return undefined;
  };
}

function drop(c: Context<Env>): Response {
  c.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

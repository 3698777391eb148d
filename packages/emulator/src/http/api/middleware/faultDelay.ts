import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import { ApiFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';

/**
 * Waits for the delay of the request's fault. Call before the work starts. If the state was restored since the request
 * began, cuts the connection, because the work would change the restored state.
 * @throws ApiFailure, which no client receives, when the connection is cut
 */
export async function waitForFaultDelay(c: Context<Env>): Promise<void> {
  const { delayMs, stateSignal: signal } = c.var;
  try {
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false, signal });
    signal.throwIfAborted();
  } catch {
    c.env.incoming.socket.destroy();
    throw new ApiFailure('state_restored', 503, 'The state was restored while the request waited.');
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import type { Env } from '../../env.ts';

/** Waits as long as the request's fault says, before the work begins. */
export async function waitForFaultDelay(c: Context<Env>): Promise<void> {
  if (c.var.delayMs > 0) await sleep(c.var.delayMs, undefined, { ref: false });
}

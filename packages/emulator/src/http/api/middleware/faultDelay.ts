import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import type { Env } from '../../env.ts';

/** Waits for the delay of the request's fault. Call before the work starts. */
export async function waitForFaultDelay(c: Context<Env>): Promise<void> {
  if (c.var.delayMs > 0) await sleep(c.var.delayMs, undefined, { ref: false });
}

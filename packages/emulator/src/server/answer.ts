import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import type { Env } from './env.ts';
import type { Answer } from './wireShape.ts';

/** Sends an answer. */
export function send(c: Context<Env>, answer: Answer): Response {
  return sendJson(c, answer.status, toJson(answer));
}

/** The body of an answer as it is sent; null for none. */
export function toJson({ body }: Answer): string | null {
  return body === null ? null : JSON.stringify(body);
}

/** Sends JSON that is already written, or no body. */
export function sendJson(c: Context<Env>, status: number, json: string | null): Response {
  return c.newResponse(json, status as 200, json === null ? {} : { 'Content-Type': 'application/json' });
}

/** Waits as long as a fault says, before the work is begun. */
export async function slowDown(c: Context<Env>): Promise<void> {
  if (c.var.delayMs > 0) await sleep(c.var.delayMs, undefined, { ref: false });
}

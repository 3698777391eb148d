import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import type { Env } from '../../env.ts';
import type { Answer } from './wireFormat.ts';

/** Sends an answer. */
export function send(c: Context<Env>, answer: Answer): Response {
  return sendText(c, answer.status, toText(answer));
}

/** The body of an answer as it is sent; null for none. */
export function toText({ body }: Answer): string | null {
  return body === null || typeof body === 'string' ? body : JSON.stringify(body);
}

/** Sends a body that is already written, JSON or a page of HTML, or none. */
export function sendText(c: Context<Env>, status: number, text: string | null): Response {
  c.var.noted.responseBody = text;
  const type = text?.startsWith('<') === true ? 'text/html' : 'application/json';
  return c.newResponse(text, status as 200, text === null ? {} : { 'Content-Type': type });
}

/** Waits as long as a fault says, before the work is begun. */
export async function slowDown(c: Context<Env>): Promise<void> {
  if (c.var.delayMs > 0) await sleep(c.var.delayMs, undefined, { ref: false });
}

import type { Context } from 'hono';
import type { ReplayableResponse } from '../domain/idempotency.ts';
import { fieldsAtFault, type ApiFailure } from './apiFailure.ts';
import type { Env } from './env.ts';

type Failure = Pick<ApiFailure, 'code' | 'details'>;

/** Notes for the request log why a request is refused. */
export function noteFailure(c: Context<Env>, { code, details }: Failure): void {
  c.var.notes.failure = { code, fields: fieldsAtFault(details) };
}

/** The same for a refusal that is replayed, if its body is JSON. */
export function noteReplayedFailure(c: Context<Env>, { status, body }: ReplayableResponse): void {
  if (status < 400 || body?.startsWith('{') !== true) return;
  noteFailure(c, JSON.parse(body) as Failure);
}

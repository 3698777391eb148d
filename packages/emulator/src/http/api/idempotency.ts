import { createHash } from 'node:crypto';
import type { Context, Handler } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import { createIdempotency, type ReplayableResponse } from '../../domain/idempotency.ts';
import { readBody, sendBody } from '../bodies.ts';
import type { Env } from '../env.ts';
import { ApiFailure, apiFailure, failureBody, noteFailure, validationFailure } from '../failures.ts';
import { waitForFaultDelay } from './faults.ts';
import type { ApiResponse } from './format.ts';

const MAX_KEY_LENGTH = 255;

/** The work of a POST. Synchronous, so that nothing happens between the work and storing its response. */
type PostWork = (c: Context<Env>, body: string) => ApiResponse;

/** Creates the handler of a POST route. */
export type IdempotentHandler = (work: PostWork) => Handler<Env>;

/**
 * Runs a POST's work once per Idempotency-Key (API text, "Limits", 3). Its response is stored and replayed for 24 hours:
 * an error too, unless the settings say otherwise, but no internal error of the emulator.
 */
export function idempotentHandler({ store, settings }: EmulatorContext): IdempotentHandler {
  const idempotency = createIdempotency(store);

  return (work) => async (c) => {
    const body = await readBody(c.env.incoming);
    c.var.notes.requestBody = body;
    const key = settings.current().idempotency === 'ignored' ? undefined : readKey(c);
    if (key === undefined) {
      await waitForFaultDelay(c);
      const { status, body: json } = work(c, body);
      return sendBody(c, status, serialize(json));
    }

    const claim = idempotency.claim(c.var.apiKey.id, key, fingerprintOf(c, body));
    c.var.notes.idempotency = { key, outcome: claim.outcome };
    if (claim.outcome === 'conflict') throw apiFailure('idempotency_conflict');
    if (claim.outcome === 'in progress') throw apiFailure('idempotency_in_progress');
    if (claim.outcome === 'replayed') {
      const { status, body: text } = claim.response;
      c.header('Idempotency-Replayed', 'true');
      if (status >= 400) noteFailure(c, JSON.parse(text ?? '{}') as ApiFailure);
      return sendBody(c, status, text);
    }
    try {
      await waitForFaultDelay(c);
      const { status, body: text } = runOnce(c, body, work, claim.save);
      return sendBody(c, status, text);
    } finally {
      claim.release();
    }
  };

  function runOnce(
    c: Context<Env>,
    body: string,
    work: PostWork,
    save: (response: ReplayableResponse) => void,
  ): ReplayableResponse {
    try {
      const { status, body: json } = work(c, body);
      const response = { status, body: serialize(json) };
      save(response);
      return response;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      noteFailure(c, error);
      const refusal = { status: error.status, body: failureBody(error, c.var.requestId) };
      if (settings.current().idempotency !== 'refusals not replayed') save(refusal);
      return refusal;
    }
  }
}

function serialize(body: object | null): string | null {
  return body === null ? null : JSON.stringify(body);
}

function readKey(c: Context<Env>): string | undefined {
  const key = c.req.header('Idempotency-Key')?.trim();
  if (key !== undefined && key.length > MAX_KEY_LENGTH)
    throw validationFailure({ 'Idempotency-Key': `must have at most ${MAX_KEY_LENGTH} characters` });
  return key === '' ? undefined : key;
}

function fingerprintOf(c: Context<Env>, body: string): string {
  return createHash('sha256').update(`${c.req.path}\n${body}`).digest('hex');
}

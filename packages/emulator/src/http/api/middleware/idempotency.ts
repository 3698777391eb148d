import { createHash } from 'node:crypto';
import type { Context, Handler } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { createIdempotency, type ReplayableResponse } from '../../../domain/idempotency.ts';
import { ApiFailure, apiFailure, validationFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';
import { noteFailure, noteReplayedFailure } from '../../noteFailure.ts';
import { readBody } from '../../readBody.ts';
import type { ApiResponse } from '../response/apiResponse.ts';
import { sendBody, sendResponse, serializeBody } from '../response/sendResponse.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';
import { waitForFaultDelay } from './faultDelay.ts';

const MAX_KEY_LENGTH = 255;

/** The work of a POST. Synchronous, so that nothing happens between the work and storing its response. */
type PostWork = (c: Context<Env>, body: string) => ApiResponse;

/** Creates the handler of a POST route. */
export type IdempotentHandler = (work: PostWork) => Handler<Env>;

/**
 * Runs a POST's work once per Idempotency-Key (API text, "Limits", 3). Its response is stored together with the
 * changes and replayed for 24 hours: an error too, unless the wire shape says otherwise, but no internal error of the
 * emulator.
 */
export function idempotentHandler({ store }: EmulatorContext, wire: ResponseFormatter): IdempotentHandler {
  const idempotency = createIdempotency(store);

  return (work) => async (c) => {
    const body = await readBody(c.env.incoming);
    c.var.notes.requestBody = body;
    const key = wire.idempotency === 'ignored' ? undefined : readKey(c);
    if (key === undefined) {
      await waitForFaultDelay(c);
      return sendResponse(c, work(c, body));
    }

    const claim = idempotency.claim(c.var.apiKey.id, key, fingerprintOf(c, body));
    c.var.notes.idempotency = { key, outcome: claim.outcome };
    const isRefused =
      wire.idempotency === 'refused' && claim.outcome === 'replayed' && claim.response.status < 300;
    if (claim.outcome === 'conflict' || isRefused) throw apiFailure('idempotency_conflict');
    if (claim.outcome === 'in progress') throw apiFailure('idempotency_in_progress');
    if (claim.outcome === 'replayed') {
      c.header('Idempotency-Replayed', 'true');
      noteReplayedFailure(c, claim.response);
      return sendBody(c, claim.response.status, claim.response.body);
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
    const saved = (response: ApiResponse) => {
      const replayable = { status: response.status, body: serializeBody(response) };
      save(replayable);
      return replayable;
    };
    try {
      return saved(work(c, body));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      noteFailure(c, error);
      const refusal = wire.failure(error, c.var.requestId);
      if (wire.idempotency !== 'refusals not replayed') return saved(refusal);
      return { status: refusal.status, body: serializeBody(refusal) };
    }
  }
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

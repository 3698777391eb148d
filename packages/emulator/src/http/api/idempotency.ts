import { createHash } from 'node:crypto';
import type { Context, Handler } from 'hono';
import type { EmulatorContext } from '../../control/context.ts';
import type { StoredResponse } from '../../store/records.ts';
import type { IdempotencyOutcome } from '../../store/requestLog.ts';
import { readBody, sendBody } from '../bodies.ts';
import type { Env } from '../env.ts';
import { ApiFailure, apiFailure, failureBody, noteFailure } from '../failures.ts';
import { waitForFaultDelay } from './faults.ts';
import type { ApiResponse } from './format.ts';

/** The work of a POST. Synchronous, so that nothing happens between the work and storing its response. */
type PostWork = (c: Context<Env>, body: string) => ApiResponse;

/** Creates the handler of a POST route. */
export type IdempotentHandler = (work: PostWork) => Handler<Env>;

/** A response as it is stored and sent. */
type Sent = Omit<StoredResponse, 'fingerprint'>;

/**
 * Runs a POST's work once per Idempotency-Key (docs/api.md#idempotency). Its response is stored and replayed for 24 hours:
 * an error too, unless the settings say otherwise, but no internal error of the emulator.
 */
export function idempotentHandler({ store, settings }: EmulatorContext): IdempotentHandler {
  /** Fingerprints of the requests in progress, by API key and Idempotency-Key. */
  const inProgress = new Map<string, string>();

  return (work) => async (c) => {
    const body = await readBody(c.env.incoming);
    c.var.notes.requestBody = body;
    const key = settings().idempotency === 'ignored' ? undefined : c.req.header('Idempotency-Key')?.trim();
    if (key === undefined || key === '') {
      await waitForFaultDelay(c);
      return send(c, sent(work(c, body)));
    }
    const slot = `${c.var.apiKey.id} ${key}`;
    const fingerprint = createHash('sha256').update(`${c.req.path}\n${body}`).digest('hex');
    const stored = store.idempotency.find(slot);
    const outcome = outcomeOf(fingerprint, stored, inProgress.get(slot));
    c.var.notes.idempotency = { key, outcome };
    if (outcome === 'conflict') throw apiFailure('idempotency_conflict');
    if (outcome === 'in progress') throw apiFailure('idempotency_in_progress');
    if (stored !== undefined) {
      c.header('Idempotency-Replayed', 'true');
      if (stored.status >= 400) noteFailure(c, JSON.parse(stored.body ?? '{}') as ApiFailure);
      return send(c, stored);
    }
    inProgress.set(slot, fingerprint);
    try {
      await waitForFaultDelay(c);
      return send(
        c,
        runOnce(c, body, work, (response) => store.idempotency.save(slot, { fingerprint, ...response })),
      );
    } finally {
      inProgress.delete(slot);
    }
  };

  function runOnce(c: Context<Env>, body: string, work: PostWork, save: (response: Sent) => void): Sent {
    try {
      const response = sent(work(c, body));
      save(response);
      return response;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      noteFailure(c, error);
      const refusal = { status: error.status, body: failureBody(error, c.var.requestId) };
      if (settings().idempotency !== 'refusals not replayed') save(refusal);
      return refusal;
    }
  }
}

function outcomeOf(
  fingerprint: string,
  stored: StoredResponse | undefined,
  inProgress: string | undefined,
): IdempotencyOutcome {
  const first = stored?.fingerprint ?? inProgress;
  if (first === undefined) return 'new';
  if (first !== fingerprint) return 'conflict';
  return stored === undefined ? 'in progress' : 'replayed';
}

function sent({ status, body }: ApiResponse): Sent {
  return { status, body: body === null ? null : JSON.stringify(body) };
}

function send(c: Context<Env>, { status, body }: Sent): Response {
  return sendBody(c, status, body);
}

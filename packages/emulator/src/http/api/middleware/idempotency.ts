import { createHash } from 'node:crypto';
import type { Context, Handler } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { ApiFailure, invalid, refuse } from '../../apiFailure.ts';
import { send, sendText, slowDown, toText } from '../response/sendResponse.ts';
import type { StoredAnswer } from '../../../store/idempotency.ts';
import type { Env } from '../../env.ts';
import { readBody } from '../../readBody.ts';
import type { IdempotencyOutcome } from '../../../control/requestLog.ts';
import type { Answer } from '../response/wireFormat.ts';

const LONGEST_KEY = 255;

/** A POST's work: synchronous, so that it and the record of its answer are one transaction. */
export type Change = (c: Context<Env>, body: string) => Answer;

/** Makes the handlers of POST routes. */
export type ChangeHandler = (work: Change) => Handler<Env>;

/**
 * Does a POST's work once for an Idempotency-Key (API text, "Limits", 3): the answer, also a refusal, is kept
 * together with what the work changed, and replayed for 24 hours. A failure of the emulator itself is not.
 */
export function changeHandler({ store, wire }: EmulatorContext): ChangeHandler {
  /** Fingerprints of the attempts under way. They live in memory: after a restart nothing is under way. */
  const running = new Map<string, string>();

  return (work) => async (c) => {
    const body = await readBody(c.env.incoming);
    c.var.noted.requestBody = body;
    const key = readKey(c);
    if (key === undefined) {
      await slowDown(c);
      return send(
        c,
        store.transaction(() => work(c, body)),
      );
    }

    const keyId = c.var.apiKey.id;
    const fingerprint = hashInput(c, body);
    const stored = store.idempotency.find(keyId, key);
    const slot = `${keyId} ${key}`;
    const note = (outcome: IdempotencyOutcome) => (c.var.noted.idempotency = { key, outcome });
    const first = stored?.fingerprint ?? running.get(slot);
    if (first !== undefined && first !== fingerprint) {
      note('conflict');
      throw refuse('idempotency_conflict');
    }
    if (stored !== undefined) {
      note('replayed');
      c.header('Idempotency-Replayed', 'true');
      return sendText(c, stored.status, stored.body);
    }
    if (first !== undefined) {
      note('in progress');
      throw refuse('idempotency_in_progress');
    }

    note('new');
    running.set(slot, fingerprint);
    try {
      await slowDown(c);
      const answer = workOnce(c, body, work, (done) =>
        store.idempotency.save(keyId, key, { fingerprint, ...done }),
      );
      return sendText(c, answer.status, answer.body);
    } finally {
      running.delete(slot);
    }
  };

  function workOnce(c: Context<Env>, body: string, work: Change, save: (done: Done) => void): Done {
    try {
      return store.transaction(() => {
        const answer = work(c, body);
        const done = { status: answer.status, body: toText(answer) };
        save(done);
        return done;
      });
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      const refusal = wire.failure(error, c.var.requestId);
      const done = { status: refusal.status, body: toText(refusal) };
      save(done);
      return done;
    }
  }
}

/** An answer as it is kept. */
type Done = Omit<StoredAnswer, 'fingerprint'>;

function readKey(c: Context<Env>): string | undefined {
  const key = c.req.header('Idempotency-Key')?.trim();
  if (key !== undefined && key.length > LONGEST_KEY)
    throw invalid({ 'Idempotency-Key': `must have at most ${LONGEST_KEY} characters` });
  return key === '' ? undefined : key;
}

function hashInput(c: Context<Env>, body: string): string {
  return createHash('sha256').update(`${c.req.path}\n${body}`).digest('hex');
}

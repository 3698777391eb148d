import { setTimeout as delay } from 'node:timers/promises';
import {
  isTransportError,
  TransportError,
  type Sleep,
  type Transport,
  type TransportRequest,
} from '@qr-service/core';
import { createTransport, omitUndefined, type StreamedResponse } from '@qr-service/core/connector';
import type { ZObject } from 'zapier-platform-core';
import { agentFor } from './agentFor.ts';
import { noteCreation } from './ambiguousCreates.ts';
import { loggedBody, NOT_READ, type HeldLog } from './heldLog.ts';

/** Milliseconds of a run in which it retries. */
export const RETRY_MS = 20_000;
/** Milliseconds of a run in which it sends requests: Zapier ends a run after 30 s, without an error of ours. */
const RUN_MS = 27_000;

/**
 * The core's transport over `z.request`, the only place with HTTP. It ends before Zapier ends the run, and notes a
 * creation that may have succeeded.
 */
export function zapierTransport(z: ZObject, { isSafeToRepeat }: { isSafeToRepeat: boolean }): Transport {
  const startedAt = Date.now();
  const unsafe = isSafeToRepeat ? 'withAnotherApiKey' : 'any';
  const send = async (request: TransportRequest) => {
    const timeoutMs = Math.min(request.timeoutMs, startedAt + RUN_MS - Date.now());
    if (timeoutMs <= 0) throw new TransportError('The service is too slow right now.', { kind: 'deadline' });
    const heldLog: HeldLog = {};
    let logged = NOT_READ;
    try {
      const transport = createTransport({ send: (sent, signal) => sendOver(z, sent, { signal, heldLog }) });
      const response = await transport({ ...request, timeoutMs });
      logged = loggedBody(request, response);
      if (isCreation(request) && !isRejection(response.status)) noteCreation(z, unsafe);
      return response;
    } catch (error) {
      if (isCreation(request) && !(isTransportError(error) && error.unsent)) noteCreation(z, unsafe);
      throw error;
    } finally {
      // A failed log must not fail the step.
      await heldLog.write?.(logged).catch(() => undefined);
    }
  };
  return Object.assign(send, { sleep: sleepUntil(startedAt + RETRY_MS) });
}

async function sendOver(
  z: ZObject,
  { method, url, headers, body }: TransportRequest,
  { signal, heldLog }: { signal: AbortSignal; heldLog: HeldLog },
): Promise<StreamedResponse> {
  const options = {
    method,
    url,
    headers,
    ...omitUndefined({ body }),
    // Zapier's own `timeout` ends with the headers of a response.
    signal,
    agent: agentFor(url),
    redirect: 'manual',
    skipThrowForStatus: true,
    // A response that Zapier reads itself has no limit of its size, and is logged with the signing secret.
    raw: true,
    heldLog,
    // Zapier's merge rejects any text with {{bundle.…}} in it and rewrites the query.
    merge: false,
  } as const;
  const response = await z.request(options);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.body as StreamedResponse['body'],
  };
}

/** The only write that acts twice when another run repeats it; the others lead to the same state. */
function isCreation({ method, url }: TransportRequest): boolean {
  return method === 'POST' && new URL(url).pathname.endsWith('/qr');
}

/** Whether a status means that nothing was done. A 409 means that an earlier attempt is still running. */
function isRejection(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 409;
}

/** Waits, but not past the end of the run's retries: the calls of a long list share one budget. */
function sleepUntil(end: number): Sleep {
  return async (ms, signal) => {
    if (Date.now() + ms > end) throw new Error("The run's time is used up.");
    await delay(ms, undefined, omitUndefined({ signal }));
  };
}

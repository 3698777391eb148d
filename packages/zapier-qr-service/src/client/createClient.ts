import { setTimeout as delay } from 'node:timers/promises';
import {
  isTransportError,
  QrServiceClient,
  TransportError,
  type Sleep,
  type Transport,
  type TransportRequest,
} from '@qr-service/core';
import { readBody, requestFailed } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import packageJson from '../../package.json' with { type: 'json' };
import { hasDeduplicationKey, readConnection } from '../inputs/readInputs.ts';
import { refusedKeys } from './refusedKeys.ts';
import { noteCreation } from './ambiguousCreates.ts';

/** Milliseconds of a run that may go by in retries: Zapier ends a run after 30 s. */
const RUN_BUDGET_MS = 20_000;
/** Milliseconds of a run in which it sends requests: then it ends in words of its own, before Zapier ends it. */
const RUN_MS = 27_000;
/** Milliseconds that one attempt may take. */
const ATTEMPT_MS = 9_000;

/** The service's client for one run, with the connection's key and address. */
export function createClient(z: ZObject, bundle: Bundle): QrServiceClient {
  return new QrServiceClient({
    ...readConnection(bundle),
    transport: zapierTransport(z, bundle),
    retry: { maxAttempts: 4, budgetMs: RUN_BUDGET_MS },
    timeoutMs: ATTEMPT_MS,
    userAgent: `Zapier (${packageJson.name}/${packageJson.version})`,
    ...(hasDeduplicationKey(bundle) ? { refusedKeys: refusedKeys(z) } : {}),
  });
}

/** The core's transport over `z.request`: the only place with HTTP. */
function zapierTransport(z: ZObject, bundle: Bundle): Transport {
  const began = Date.now();
  const hasKey = hasDeduplicationKey(bundle);
  const send = async (request: TransportRequest) => {
    const timeoutMs = Math.min(request.timeoutMs, began + RUN_MS - Date.now());
    if (timeoutMs <= 0) throw new TransportError('The service is too slow right now.', { kind: 'deadline' });
    const creates = isCreation(request) && !hasKey;
    const ender = new AbortController();
    const end = () => ender.abort();
    const timeLimit = AbortSignal.timeout(timeoutMs);
    timeLimit.addEventListener('abort', end);
    const options = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      // Zapier's own `timeout` ends with the headers of an answer.
      signal: ender.signal,
      redirect: 'manual',
      skipThrowForStatus: true,
      // Zapier logs the body of an answer that it reads itself: a new subscription's holds the signing secret.
      raw: true,
      // Zapier's merge refuses any text with {{bundle.…}} in it and writes the query anew.
      merge: false,
    } as const;
    try {
      const response = await z.request(options);
      if (creates && !isRefusal(response.status)) noteCreation(z);
      const { status } = response;
      const headers = Object.fromEntries(response.headers);
      const body = response.body as AsyncIterable<Uint8Array>;
      return { status, headers, body: await readBody(request, { status, headers, body, end }) };
    } catch (error) {
      const { code } = error as { code?: string };
      // Zapier writes the bundle into the messages of failed requests: nothing of the error is kept but its code.
      const failure = isTransportError(error)
        ? error
        : requestFailed({ ...request, timeoutMs }, { timedOut: timeLimit.aborted, code });
      if (creates && !wasNotSent(failure, code)) noteCreation(z);
      throw failure;
    } finally {
      timeLimit.removeEventListener('abort', end);
    }
  };
  return Object.assign(send, { sleep: sleepUntil(began + RUN_BUDGET_MS) });
}

/** The one write that acts twice when it is sent again in another run; the others lead to the same state. */
function isCreation({ method, url }: TransportRequest): boolean {
  return method === 'POST' && new URL(url).pathname.endsWith('/qr');
}

/** Whether a status says that nothing was done. A 409 says that an attempt before is still running. */
function isRefusal(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 409;
}

function wasNotSent({ kind }: TransportError, code = ''): boolean {
  return kind === 'certificate' || ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code);
}

/** Waits, but not past the run's own end: a walk of many calls shares one budget. */
function sleepUntil(end: number): Sleep {
  return async (ms, signal) => {
    if (Date.now() + ms > end) throw new Error("The run's time is used up.");
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { TransportError, type Sleep, type Transport, type TransportRequest } from '@qr-service/core';
import { createTransport, omitUndefined, type StreamedResponse } from '@qr-service/core/connector';
import type { ZObject } from 'zapier-platform-core';
import { agentFor } from './agentFor.ts';

/** How far into a run it retries, in milliseconds. */
export const RETRY_MS = 20_000;
/**
 * How far into a run it sends requests, in milliseconds. Zapier ends a run after 30 s, without an error from the app.
 */
const RUN_MS = 27_000;

/**
 * The core's transport over `z.request`, the only place that uses HTTP. It stops before Zapier ends the run.
 */
export function zapierTransport(z: ZObject): Transport {
  const startedAt = Date.now();
  const transport = createTransport({ send: (sent, signal) => sendOver(z, sent, signal) });
  const send: typeof transport = async (request) => {
    const timeoutMs = Math.min(request.timeoutMs, startedAt + RUN_MS - Date.now());
    if (timeoutMs <= 0) throw new TransportError('The service is too slow right now.', { kind: 'deadline' });
    return transport({ ...request, timeoutMs });
  };
  return Object.assign(send, { sleep: sleepUntil(startedAt + RETRY_MS) });
}

async function sendOver(
  z: ZObject,
  { method, url, headers, body }: TransportRequest,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  const options = {
    method,
    url,
    headers,
    ...omitUndefined({ body }),
    // Zapier's own `timeout` covers only the headers of a response.
    signal,
    agent: agentFor(url),
    redirect: 'manual',
    skipThrowForStatus: true,
    // If Zapier read the response itself, its size would be unlimited, and Zapier's log would contain the signing secret.
    raw: true,
    // When Zapier merges requests, it rejects any text with {{bundle.…}} in it and rewrites the query.
    merge: false,
  } as const;
  const response = await z.request(options);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers as Iterable<[string, string]>),
    body: response.body as StreamedResponse['body'],
  };
}

/** Waits, but not longer than the run may retry: all calls of a long list share that time. */
function sleepUntil(end: number): Sleep {
  return async (ms, signal) => {
    if (Date.now() + ms > end) throw new Error("The run's time is used up.");
    await delay(ms, undefined, omitUndefined({ signal }));
  };
}

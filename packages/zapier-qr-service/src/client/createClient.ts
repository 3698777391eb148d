import { setTimeout as delay } from 'node:timers/promises';
import {
  createTransport,
  type Sleep,
  type StreamedResponse,
  type Transport,
  TransportError,
  type TransportRequest,
} from '@qr-service/core';
import { omitUndefined, PlatformClient } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import packageJson from '../../package.json' with { type: 'json' };
import { connectionOf } from '../inputs/readInputs.ts';
import { agentFor } from './agentFor.ts';

/** Time limit of one attempt, in milliseconds. */
const ATTEMPT_MS = 9_000;
/** How far into a run it retries, in milliseconds. */
const RETRY_MS = 20_000;
/**
 * How far into a run it sends requests, in milliseconds. Zapier ends a run after 30 s, without an error from the app.
 */
const RUN_MS = 27_000;

/** Creates the service's client for one run, with the connection's API key and base URL. */
export function createClient(z: ZObject, bundle: Bundle): PlatformClient {
  return new PlatformClient({
    ...connectionOf(bundle),
    transport: zapierTransport(z),
    retry: { maxAttempts: 4, budgetMs: RETRY_MS },
    timeoutMs: ATTEMPT_MS,
    userAgent: `Zapier (${packageJson.name}/${packageJson.version})`,
  });
}

/**
 * The core's transport over `z.request`, the only place that uses HTTP. It stops before Zapier ends the run.
 */
function zapierTransport(z: ZObject): Transport {
  const startedAt = Date.now();
  const transport = createTransport({ send: (sent, signal) => sendOver(z, sent, signal) });
  const send: typeof transport = async (request) => {
    const timeoutMs = Math.min(request.timeoutMs, startedAt + RUN_MS - Date.now());
    if (timeoutMs <= 0) throw new TransportError('The service is too slow right now.', { code: 'deadline' });
    return transport({ ...request, timeoutMs });
  };
  const sleep: Sleep = async (ms, signal) => {
    // All calls of a long list share that time.
    if (Date.now() + ms > startedAt + RETRY_MS) throw new Error("The run's time is used up.");
    await delay(ms, undefined, omitUndefined({ signal }));
  };
  return Object.assign(send, { sleep });
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

import { setTimeout as delay } from 'node:timers/promises';
import {
  BRAND,
  QrServiceClient,
  TransportError,
  type Sleep,
  type Transport,
  type TransportRequest,
} from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import packageJson from '../package.json' with { type: 'json' };
import { readText } from './inputs.ts';

/** Milliseconds of a run that may go by in retries: Zapier ends a run after 30 s. */
const RUN_BUDGET_MS = 20_000;
/** Milliseconds that one attempt may take; with the budget it stays under Zapier's 30 s. */
const ATTEMPT_MS = 9_000;

/** The service's client for one run, with the connection's key and address. */
export function createClient(z: ZObject, bundle: Bundle): QrServiceClient {
  return new QrServiceClient({
    baseUrl: readText(bundle.authData['baseUrl']) ?? BRAND.baseUrl,
    apiKey: bundle.authData['apiKey'] ?? '',
    transport: zapierTransport(z),
    retry: { maxAttempts: 4, budgetMs: RUN_BUDGET_MS },
    timeoutMs: ATTEMPT_MS,
    userAgent: `Zapier (${packageJson.name}/${packageJson.version})`,
  });
}

/** The core's transport over `z.request`: the only place with HTTP. */
function zapierTransport(z: ZObject): Transport {
  const send = async (request: TransportRequest) => {
    const options = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      timeout: request.timeoutMs,
      redirect: 'manual',
      skipThrowForStatus: true,
      // Zapier logs the body of an answer that it reads itself: a new subscription's holds the signing secret.
      raw: true,
      // Zapier's merge refuses any text with {{bundle.…}} in it and writes the query anew.
      merge: false,
    } as const;
    try {
      const response = await z.request(options);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.buffer(),
      };
    } catch (error) {
      throw toTransportError(error, request);
    }
  };
  return Object.assign(send, { sleep: sleepUntil(Date.now() + RUN_BUDGET_MS) });
}

/** Waits, but not past the run's own end: a walk of many calls shares one budget. */
function sleepUntil(end: number): Sleep {
  return async (ms) => {
    if (Date.now() + ms > end) throw new Error("The run's time is used up.");
    await delay(ms);
  };
}

/** Zapier writes the bundle into the messages of failed requests, so nothing of the cause is kept but its code. */
function toTransportError(error: unknown, request: TransportRequest): TransportError {
  const { host } = new URL(request.url);
  const { code, type } = error as { code?: unknown; type?: unknown };
  if (type === 'request-timeout' || type === 'body-timeout')
    return new TransportError(`${host} did not answer within ${request.timeoutMs} ms.`, { kind: 'timeout' });
  const reason = typeof code === 'string' ? code : 'no answer';
  return new TransportError(`${host} could not be reached (${reason}).`, { kind: 'network' });
}

import { setTimeout as delay } from 'node:timers/promises';
import { request, type Dispatcher } from 'undici';
import { TransportError, type TransportFailure } from './client/TransportError.ts';
import type { Transport, TransportRequest } from './client/transport.ts';

/**
 * The default transport, over undici: keeps connections alive, follows no redirect, waits on Node's timers.
 * @param options.dispatcher an undici Agent, Pool or MockAgent in place of the global one
 */
export function undiciTransport(options: { dispatcher?: Dispatcher } = {}): Transport {
  const send = async (outgoing: TransportRequest) => {
    const timeout = AbortSignal.timeout(outgoing.timeoutMs);
    const signal = outgoing.signal ? AbortSignal.any([outgoing.signal, timeout]) : timeout;
    try {
      const { statusCode, headers, body } = await request(outgoing.url, {
        method: outgoing.method,
        headers: outgoing.headers,
        body: outgoing.body ?? null,
        signal,
        ...(options.dispatcher === undefined ? {} : { dispatcher: options.dispatcher }),
      });
      return { status: statusCode, headers, body: new Uint8Array(await body.arrayBuffer()) };
    } catch (cause) {
      throw toTransportError(cause, outgoing, timeout);
    }
  };
  return Object.assign(send, {
    sleep: async (ms: number, signal?: AbortSignal) => {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    },
  });
}

function toTransportError(cause: unknown, outgoing: TransportRequest, timeout: AbortSignal): TransportError {
  const kind = failureKind(cause, outgoing, timeout);
  const host = new URL(outgoing.url).host;
  const said = {
    timeout: `${host} did not answer within ${outgoing.timeoutMs} ms.`,
    aborted: 'The request was cancelled.',
    network: `${host} could not be reached (${codeOf(cause)}).`,
    redirect: `${host} redirected the request.`,
  } satisfies Record<TransportFailure, string>;
  return new TransportError(said[kind], { kind, cause });
}

function failureKind(cause: unknown, outgoing: TransportRequest, timeout: AbortSignal): TransportFailure {
  if (outgoing.signal?.aborted === true) return 'aborted';
  if (timeout.aborted || /TIMEOUT|ETIMEDOUT/.test(codeOf(cause))) return 'timeout';
  return 'network';
}

function codeOf(cause: unknown): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'no answer';
}

import { readBody, type UnreadResponse } from '../client/readBody.ts';
import { failureCode, requestFailed } from '../client/requestFailed.ts';
import type { Sleep, Transport, TransportRequest, TransportResponse } from '../client/transport.ts';
import { isTransportError } from '../errors/TransportError.ts';
import { omitUndefined } from '../json/omitUndefined.ts';

/** A response as an HTTP helper returns it before its body is read. */
export interface StreamedResponse extends Omit<UnreadResponse, 'end'> {
  /** The body in pieces, decompressed, such as a stream of Node.js. `destroy` ends the connection. */
  body: UnreadResponse['body'] & { destroy?: () => unknown };
}

/** A platform's own HTTP helper. */
export interface HttpHelper {
  /**
   * Sends one request and streams its response. It doesn't throw for a status and follows no redirect. The signal ends
   * the request, its response's body included: the helper's own time limit, if any, may end with the headers.
   */
  send: (request: TransportRequest, signal: AbortSignal) => Promise<StreamedResponse>;
  /** The platform's way to wait. */
  sleep?: Sleep;
}

/**
 * A transport over a platform's HTTP helper. It adds the time limit to the last byte, cancelling, the limit of a body's
 * size, and the errors in the core's words. What the helper throws isn't kept, only its code: platforms put the whole
 * request into it, the key included.
 * @example
 * ```ts
 * import { createTransport } from '@qr-service/core/connector';
 *
 * const transport = createTransport({
 *   send: async ({ method, url, headers, body = null }, signal) => {
 *     const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
 *     const { status } = response;
 *     return { status, headers: Object.fromEntries(response.headers), body: response.body ?? [] };
 *   },
 * });
 * ```
 */
export function createTransport({ send, sleep }: HttpHelper): Transport {
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    if (request.signal?.aborted === true) throw requestFailed(request, { timedOut: false });
    const timeLimit = AbortSignal.timeout(request.timeoutMs);
    const signals = request.signal === undefined ? [timeLimit] : [timeLimit, request.signal];
    const controller = new AbortController();
    let body: StreamedResponse['body'] | undefined;
    const end = () => {
      controller.abort();
      body?.destroy?.();
    };
    for (const signal of signals) signal.addEventListener('abort', end);
    try {
      const response = await send(request, controller.signal);
      const { status, headers } = response;
      ({ body } = response);
      // A helper that doesn't know the signal may respond after it: nothing would end the body.
      if (controller.signal.aborted) {
        end();
        throw controller.signal.reason as Error;
      }
      return { status, headers, body: await readBody(request, { status, headers, body, end }) };
    } catch (error) {
      if (isTransportError(error)) throw error;
      throw requestFailed(request, { timedOut: timeLimit.aborted, code: failureCode(error) });
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', end);
    }
  };
  return Object.assign(transport, omitUndefined({ sleep }));
}

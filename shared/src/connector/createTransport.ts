import { readBody, type UnreadResponse } from '../client/readBody.ts';
import { failureCode, requestFailed } from '../client/requestFailed.ts';
import type { Sleep, Transport, TransportRequest, TransportResponse } from '../client/transport.ts';
import { isTransportError } from '../errors/guards.ts';
import { omitUndefined } from '../json/json.ts';

/** A response as an HTTP helper returns it before its body is read. */
export interface StreamedResponse extends Omit<UnreadResponse, 'end'> {
  /** The body in chunks, decompressed, such as a Node.js stream. `destroy` closes the connection. */
  body: UnreadResponse['body'] & { destroy?: () => unknown };
}

/** A platform's own HTTP helper. */
export interface HttpHelper {
  /**
   * Sends one request and streams its response. It must not throw for a status or follow redirects. The signal must
   * cancel the request, including the response's body, as a helper's own time limit may cover only the headers.
   */
  send: (request: TransportRequest, signal: AbortSignal) => Promise<StreamedResponse>;
  /** The platform's way to wait. */
  sleep?: Sleep;
}

/**
 * Creates a transport from a platform's HTTP helper. It adds the time limit to the last byte, cancellation, the size
 * limit of a body, and the core's error messages. Of the helper's own errors it keeps only the code: platforms put the
 * whole request into them, including the key.
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
      // A helper that ignores the signal may respond after it: nothing else would end the body.
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

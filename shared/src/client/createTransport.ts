import { isTransportError } from '../errors/guards.ts';
import { TransportError } from '../errors/TransportError.ts';
import { omitUndefined } from '../json/json.ts';
import { readHeader, type WireHeaders } from '../wire/headers.ts';
import { failureCode, requestFailed } from './requestFailed.ts';
import type { Sleep, Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A response as an HTTP helper returns it before its body is read. */
export interface StreamedResponse {
  status: number;
  headers: WireHeaders;
  /** The body in chunks, decompressed: a Node.js or web stream, or an empty array. `destroy` closes the connection. */
  body: (AsyncIterable<Uint8Array> | Iterable<Uint8Array>) & { destroy?: () => unknown };
}

/** A platform's own HTTP helper. */
export interface HttpHelper {
  /**
   * Sends one request and streams its response. It must not throw for a status or follow redirects. The signal must
   * cancel the request, including the response's body, as a helper's own time limit may cover only the headers.
   */
  send: (request: TransportRequest, signal: AbortSignal) => Promise<StreamedResponse>;
  /** Waits on the platform's timers. */
  sleep?: Sleep;
}

/**
 * Creates a transport from a platform's HTTP helper: adds the time limit to the last byte, cancellation, and error messages.
 * Of the helper's own errors it keeps only the code: platforms put the whole request into them, including the key.
 */
export function createTransport({ send, sleep }: HttpHelper): Transport {
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    if (request.signal?.aborted === true) throw requestFailed(request, { timedOut: false });
    const timeLimit = AbortSignal.timeout(request.timeoutMs);
    const signal = AbortSignal.any([timeLimit, request.signal ?? timeLimit]);
    let body: StreamedResponse['body'] | undefined;
    const end = () => body?.destroy?.();
    signal.addEventListener('abort', end);
    try {
      const response = await send(request, signal);
      ({ body } = response);
      // A helper that ignores the signal may respond after it: nothing else would end the body.
      signal.throwIfAborted();
      const { status, headers } = response;
      return { status, headers, body: await readBody(response) };
    } catch (error) {
      end();
      if (isTransportError(error)) throw error;
      throw requestFailed(request, { timedOut: timeLimit.aborted, code: failureCode(error) });
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
  return Object.assign(transport, omitUndefined({ sleep }));
}

/** @throws TransportError if the body was cut off: the decoders of some platforms return nothing then */
async function readBody({ status, headers, body }: StreamedResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0 && status < 300 && Number(readHeader(headers, 'Content-Length') ?? 0) > 0)
    throw new TransportError('The response was cut off.', { code: 'network' });
  return bytes;
}

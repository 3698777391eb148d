/* oxlint-disable typescript/no-deprecated -- undici 6 knows no other methods of a handler */
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { getGlobalDispatcher, util, type Dispatcher } from 'undici';
import { failureCode, requestFailed } from './client/requestFailed.ts';
import type { Transport, TransportRequest, TransportResponse } from './client/transport.ts';
import { showText } from './errors/sentences.ts';
import { omitUndefined } from './json/json.ts';
import { readHeader } from './wire/headers.ts';

/** Options of `undiciTransport`. */
export interface UndiciTransportOptions {
  /** Sends the requests: an undici `Agent`, `Pool`, `ProxyAgent` or `MockAgent`. Default: getGlobalDispatcher(). */
  dispatcher?: Dispatcher;
}

/** The default transport, based on undici: keeps connections alive, doesn't follow redirects, waits on Node's timers. */
export function undiciTransport({ dispatcher }: UndiciTransportOptions = {}): Transport {
  const send: Transport = (request) => exchange(request, dispatcher ?? getGlobalDispatcher());
  const sleep = (ms: number, signal?: AbortSignal) => delay(ms, undefined, omitUndefined({ signal }));
  return Object.assign(send, { sleep });
}

/** Decodes a body: without a header that says otherwise, a server may use any coding. */
function decode(body: Buffer, coding: string): Buffer {
  switch (coding.toLowerCase()) {
    case 'identity':
      return body;
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(body);
    case 'br':
      return brotliDecompressSync(body);
    case 'deflate':
      // Some servers leave out its header.
      return (body[0] ?? 0) % 16 === 8 ? inflateSync(body) : inflateRawSync(body);
    default:
      throw Object.assign(new Error(), { code: `Content-Encoding ${showText(coding)}` });
  }
}

/** By a handler, as undici's streams are slow. Its methods are those of undici 6, which Node 20 and 22 set as the global one. */
function exchange(request: TransportRequest, dispatcher: Dispatcher): Promise<TransportResponse> {
  const { url, method, headers, body = null, signal, timeoutMs } = request;
  return new Promise((resolve, reject) => {
    let response: Omit<TransportResponse, 'body'> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    let abort: ((reason: Error) => void) | undefined;
    let failure: Error | undefined;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
    const fail = (cause: unknown, timedOut = false) => {
      end();
      failure ??= requestFailed(request, { timedOut, code: failureCode(cause), cause });
      reject(failure);
      abort?.(failure);
    };
    const cancel = () => fail(undefined);
    const timer = setTimeout(() => fail(undefined, true), timeoutMs);
    if (signal?.aborted === true) {
      cancel();
      return;
    }
    signal?.addEventListener('abort', cancel);
    const handler: Dispatcher.DispatchHandler = {
      onConnect(abortRequest) {
        abort = abortRequest;
        if (failure !== undefined) abort(failure);
      },
      onHeaders(status, rawHeaders) {
        response = { status, headers: util.parseHeaders(rawHeaders) };
        return true;
      },
      onData(chunk) {
        chunks.push(chunk);
        return true;
      },
      onComplete() {
        end();
        const body = Buffer.concat(chunks);
        const coding = readHeader(response.headers, 'Content-Encoding') ?? 'identity';
        try {
          resolve({ ...response, body: decode(body, coding) });
        } catch (cause) {
          // An error response says enough by its status.
          if (response.status >= 300) resolve({ ...response, body });
          else reject(requestFailed(request, { timedOut: false, code: failureCode(cause) }));
        }
      },
      onError: fail,
    };
    // The core's URLs are absolute and normalized: parsing them again would only cost time.
    const pathStart = url.indexOf('/', 'https://'.length);
    const origin = url.slice(0, pathStart);
    try {
      dispatcher.dispatch({ origin, path: url.slice(pathStart), method, headers, body }, handler);
    } catch (cause) {
      fail(cause);
    }
  });
}

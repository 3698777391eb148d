import { EventEmitter } from 'node:events';
import { pipeline, type Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { getGlobalDispatcher, type Dispatcher } from 'undici';
import { announcesLittle, readBody } from './client/readBody.ts';
import { failureCode, requestFailed } from './client/requestFailed.ts';
import { isTransportError } from './errors/TransportError.ts';
import type { Transport } from './client/transport.ts';
import { readHeader } from './wire/headers.ts';

/** Content codings. None is requested, but some proxies compress all the same. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** Error codes of a body that can't be decoded. */
const UNDECODABLE = /^(Z_|ERR_.*BROTLI|ERR__ERROR)/;

/** Options of `undiciTransport`. */
export interface UndiciTransportOptions {
  /**
   * Sends the requests: an undici `Agent`, `Pool`, `ProxyAgent` or `MockAgent`.
   * @default getGlobalDispatcher()
   */
  dispatcher?: Dispatcher;
}

/**
 * The default transport, over undici: keeps connections alive, doesn't follow redirects, waits on Node's timers.
 * @example
 * ```ts
 * import { QrServiceClient } from '@qr-service/core';
 * import { undiciTransport } from '@qr-service/core/undici';
 * import { Agent } from 'undici';
 *
 * const transport = undiciTransport({ dispatcher: new Agent({ connections: 4 }) });
 * const client = new QrServiceClient({ baseUrl, apiKey, transport });
 * console.log((await client.me()).scopes?.includes('qr:read')); // true
 * ```
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const send: Transport = async (outgoing) => {
    // undici takes an emitter in place of an AbortSignal, which costs less to make for each request.
    const ender = new EventEmitter();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      ender.emit('abort');
    }, outgoing.timeoutMs);
    const { signal } = outgoing;
    const abort = () => ender.emit('abort');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (signal?.aborted === true) throw new Error('aborted before it was sent');
      const dispatcher = options.dispatcher ?? getGlobalDispatcher();
      // The core's addresses are whole and in normal form: taking them apart again as URLs would only cost time.
      const pathStart = outgoing.url.indexOf('/', 'https://'.length);
      const { statusCode, headers, body } = await dispatcher.request({
        origin: outgoing.url.slice(0, pathStart),
        path: outgoing.url.slice(pathStart),
        method: outgoing.method,
        headers: outgoing.headers,
        body: outgoing.body ?? null,
        signal: ender,
      });
      const answer = { status: statusCode, headers, body, end: abort };
      const isEmpty = statusCode === 204 || headers['content-length'] === '0';
      const coding = readHeader(headers, 'Content-Encoding')?.trim().toLowerCase() ?? '';
      const decode = DECODERS.get(coding);
      if (decode !== undefined && !isEmpty) {
        const plain = pipeline(body, decode(), () => undefined);
        const content = await readBody(outgoing, { ...answer, body: plain }).catch((cause: unknown) => {
          // Of a failure whose body can't be decoded, the status is enough; but a bare 404 would say that a record is gone.
          if (statusCode >= 400 && statusCode !== 404 && UNDECODABLE.test(failureCode(cause) ?? ''))
            return new Uint8Array();
          throw cause;
        });
        return { status: statusCode, headers, body: content };
      }
      if (!announcesLittle(outgoing, answer))
        return { status: statusCode, headers, body: await readBody(outgoing, answer) };
      const content = outgoing.responseType === 'json' ? await body.text() : await body.bytes();
      return { status: statusCode, headers, body: content };
    } catch (cause) {
      if (isTransportError(cause)) throw cause;
      throw requestFailed(outgoing, { timedOut, code: failureCode(cause), cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  };
  return Object.assign(send, {
    sleep: async (ms: number, signal?: AbortSignal) => {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    },
  });
}

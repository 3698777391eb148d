import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { getGlobalDispatcher, type Dispatcher } from 'undici';
import { BodyCollector, announcedLength, bodyLimit, isFailure, tooLarge } from './client/readBody.ts';
import { requestFailed } from './client/requestFailed.ts';
import type { Transport, TransportRequest, TransportResponse } from './client/transport.ts';
import { readHeader, type WireHeaders } from './wire/headers.ts';

type Decode = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** Content codings. None is requested, but some proxies compress all the same. */
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
/** Error codes of a body that can't be decoded. */
const UNDECODABLE = /^(Z_|ERR_.*BROTLI|ERR__ERROR)/;
/** zlib's error code for more than `maxOutputLength`. */
const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE';

/** Options of `undiciTransport`. */
export interface UndiciTransportOptions {
  /**
   * An undici `Agent`, `Pool` or `MockAgent` that sends the requests.
   * @default undici's global dispatcher
   */
  dispatcher?: Dispatcher;
}

/** The default transport, over undici: keeps connections alive, follows no redirect, waits on Node's timers. */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const send: Transport = (request) =>
    new Promise((resolve, reject) => {
      new Exchange(request, resolve, reject).start(options.dispatcher ?? getGlobalDispatcher());
    });
  return Object.assign(send, {
    sleep: async (ms: number, signal?: AbortSignal) => {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    },
  });
}

/**
 * One request and its response. A handler instead of undici's `request`, whose body is a stream: for the small JSON of
 * this API the stream costs more than the rest of the call.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;
  #abort: ((reason: Error) => void) | undefined;
  #status = 0;
  #headers: WireHeaders = {};
  #body = new BodyCollector(0);

  constructor(
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(dispatcher: Dispatcher): void {
    const { url, method, headers, body = null, signal, timeoutMs } = this.#request;
    if (signal?.aborted === true) {
      this.#cancel();
      return;
    }
    this.#timer = setTimeout(() => this.#cancel(true), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
    // The core's URLs are absolute and normalized: parsing them again would only cost time.
    const pathStart = url.indexOf('/', 'https://'.length);
    const origin = url.slice(0, pathStart);
    try {
      dispatcher.dispatch({ origin, path: url.slice(pathStart), method, headers, body }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#connected((reason) => controller.abort(reason));
  }

  onResponseStart(_controller: unknown, status: number, headers: WireHeaders): void {
    // Informational: the response is still to come.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const limit = bodyLimit(this.#request, status);
    this.#body = new BodyCollector(limit);
    if (announcedLength(headers) > limit) this.#refuseBody();
  }

  onResponseData(_controller: unknown, chunk: Uint8Array): void {
    if (!this.#body.add(chunk)) this.#refuseBody();
  }

  onResponseEnd(): void {
    const body = this.#body.bytes();
    const coding = readHeader(this.#headers, 'Content-Encoding')?.trim().toLowerCase();
    const decode = coding === undefined || body.length === 0 ? undefined : DECODERS.get(coding);
    if (decode === undefined) this.#respond(body);
    else
      decode(body, { maxOutputLength: this.#body.limit }).then(
        (decoded) => this.#respond(decoded),
        (error: unknown) => this.#undecodable(error),
      );
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(error);
  }

  // The same for undici 6: Node 20 and 22 contain it, and their `fetch` makes its dispatcher the global one.

  onConnect(abort: (reason: Error) => void): void {
    this.#connected(abort);
  }

  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    this.onResponseStart(undefined, status, parseRawHeaders(rawHeaders));
    return true;
  }

  onData(chunk: Uint8Array): boolean {
    this.onResponseData(undefined, chunk);
    return true;
  }

  onComplete(): void {
    this.onResponseEnd();
  }

  onError(error: Error): void {
    this.#fail(error);
  }

  readonly #onAbort = () => this.#cancel();

  #connected(abort: (reason: Error) => void): void {
    this.#abort = abort;
    if (this.#isSettled) this.#abortRequest();
  }

  #cancel(timedOut = false): void {
    this.#fail(undefined, timedOut);
    this.#abortRequest();
  }

  #abortRequest(): void {
    this.#abort?.(new Error('The transport has ended the request.'));
  }

  #fail(cause: unknown, timedOut = false): void {
    this.#settle(() => this.#reject(requestFailed(this.#request, { timedOut, code: codeOf(cause), cause })));
  }

  #respond(body: Uint8Array): void {
    this.#settle(() => this.#resolve({ status: this.#status, headers: this.#headers, body }));
  }

  /** Of a failure whose body is too large, the status is enough. */
  #refuseBody(): void {
    if (isFailure(this.#status)) this.#respond(new Uint8Array());
    else this.#settle(() => this.#reject(tooLarge(this.#request.maxBytes)));
    this.#abortRequest();
  }

  #undecodable(error: unknown): void {
    const code = codeOf(error) ?? '';
    if (code === TOO_LARGE) this.#refuseBody();
    // Of a failure whose body can't be decoded, the status is enough; but a bare 404 would say that a record is gone.
    else if (this.#status >= 400 && this.#status !== 404 && UNDECODABLE.test(code))
      this.#respond(new Uint8Array());
    else this.#fail(error);
  }

  #settle(report: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    report();
  }
}

function parseRawHeaders(raw: Buffer[]): WireHeaders {
  const headers: Record<string, string | string[]> = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = String(raw[index]).toLowerCase();
    const value = String(raw[index + 1]);
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

function codeOf(cause: unknown): string | undefined {
  const { code } = Object(cause) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

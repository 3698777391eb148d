import { randomUUID } from 'node:crypto';
import { authHeader } from '../contract/headers.ts';
import { ANSWER_LIMITS } from '../contract/limits.ts';
import { readErrorBody } from '../wire/errorBody.ts';
import { readDelay } from '../wire/delay.ts';
import { readHeader, type WireHeaders } from '../wire/headers.ts';
import { describeIntermediary, type Hide } from '../wire/intermediary.ts';
import { makePlain } from '../wire/plainJson.ts';
import { readRateLimit, type RateLimit } from '../wire/rateLimit.ts';
import { ApiError } from './ApiError.ts';
import { bodyBytes, bodySize, bodyText, parseJson } from './body.ts';
import {
  readApiKey,
  readBaseUrl,
  readHeaderPrefix,
  readRetry,
  readTimeout,
  type ClientOptions,
} from './configuration.ts';
import { describeForeign } from './explain.ts';
import { Pacer, TooFarError } from './pacer.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';
import { tooLarge } from './readBody.ts';
import { decideRetry, isRetryable, type RetryOptions } from './retry.ts';
import { TransportError } from './TransportError.ts';
import type { Sleep, Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Options of one call. */
export interface CallOptions {
  /** Sent as Idempotency-Key in place of one made for the call (API text, "Limits", 3). */
  idempotencyKey?: string;
  /** Ends the call at once, also while it waits. */
  signal?: AbortSignal;
  /** Milliseconds that the whole call may take, attempts and waits together. */
  timeoutMs?: number;
}

/** A call before it becomes a request. */
export interface Call {
  method: TransportRequest['method'];
  /** Below the API's address. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  responseType?: TransportRequest['responseType'];
}

/** A successful answer. `body` is parsed JSON, or bytes where the call asked for them. */
export interface Answer {
  status: number;
  headers: WireHeaders;
  body: unknown;
}

/** Turns a call into requests: address, key, idempotency, pacing, retries, errors. */
export class Pipeline {
  readonly #transport: Transport;
  readonly #apiKey: string;
  readonly #address: string;
  /** Sent with every request. */
  readonly #headers: Record<string, string>;
  readonly #retry: Required<RetryOptions>;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #sleep: Sleep | undefined;
  readonly #pacer: Pacer | undefined;
  #rateLimit: RateLimit | undefined;

  /** @throws QrServiceError `invalid_input` for options that can't be used */
  constructor(options: ClientOptions) {
    this.#transport = options.transport;
    this.#apiKey = readApiKey(options.apiKey);
    this.#address = readBaseUrl(options.baseUrl);
    this.#retry = readRetry(options.retry);
    this.#timeoutMs = readTimeout(options.timeoutMs);
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? options.transport.sleep;
    if (this.#sleep !== undefined)
      this.#pacer = new Pacer({ now: this.#now, sleep: this.#sleep, patienceMs: this.#retry.budgetMs });
    const headerPrefix = readHeaderPrefix(options.headerPrefix);
    const [name, value] = authHeader({ apiKey: this.#apiKey, authHeader: options.authHeader, headerPrefix });
    this.#headers = { [name]: value };
    if (options.userAgent !== undefined) this.#headers['User-Agent'] = options.userAgent;
  }

  /** What the service last said of its rate limit. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit;
  }

  /**
   * Sends a call, again where that is safe and may help.
   * @throws ApiError when the service answers with a failure
   * @throws TransportError when no answer came
   */
  async send(call: Call, options: CallOptions = {}): Promise<Answer> {
    const deadline =
      options.timeoutMs === undefined ? undefined : AbortSignal.timeout(readTimeout(options.timeoutMs));
    const signal = anyOf(options.signal, deadline);
    const request = this.#request(call, options, signal);
    const began = this.#now();
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request, call.path);
      if (!('error' in outcome)) return outcome;
      const { error } = outcome;
      const idempotencyKey = request.headers['Idempotency-Key'];
      if (idempotencyKey !== undefined) error.idempotencyKey = idempotencyKey;
      if (isAborted(signal)) throw cancelled(options, deadline);
      const api = error instanceof ApiError ? error : undefined;
      const decision = decideRetry({
        method: request.method,
        code: error.code,
        hasKey: idempotencyKey !== undefined,
        attempt,
        maxAttempts: this.#retry.maxAttempts,
        elapsedMs: this.#now() - began,
        budgetMs: Math.min(this.#retry.budgetMs, options.timeoutMs ?? Infinity),
        random: Math.random(),
        ...(api === undefined ? {} : { status: api.status }),
        ...(api?.retryAfterMs === undefined ? {} : { retryAfterMs: api.retryAfterMs }),
      });
      if (!decision.retry || this.#sleep === undefined) throw error;
      try {
        await this.#sleep(decision.waitMs, signal);
      } catch (cause) {
        if (isAborted(signal)) throw cancelled(options, deadline);
        // The platform has no time for the wait: it may take the time that the service asked for instead.
        if (api?.retryAfterMs !== undefined) throw error;
        throw new TransportError('There is no time left to wait for another try.', {
          kind: 'aborted',
          cause,
        });
      }
    }
  }

  #request(call: Call, options: CallOptions, signal: AbortSignal | undefined): TransportRequest {
    const headers: Record<string, string> = { ...this.#headers, Accept: ACCEPT[call.responseType ?? 'json'] };
    if (call.method === 'POST') headers['Idempotency-Key'] = options.idempotencyKey ?? randomUUID();
    const request: TransportRequest = {
      method: call.method,
      url: this.#address + call.path + queryString(call.query),
      headers,
      responseType: call.responseType ?? 'json',
      timeoutMs: Math.min(this.#timeoutMs, options.timeoutMs ?? Infinity),
      maxBytes: call.responseType === 'bytes' ? ANSWER_LIMITS.imageBytes : ANSWER_LIMITS.jsonBytes,
    };
    if (call.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      request.body = JSON.stringify(call.body);
    }
    if (signal !== undefined) request.signal = signal;
    return request;
  }

  async #attempt(request: TransportRequest, path: string): Promise<Answer | { error: QrServiceError }> {
    let ticket = 0;
    try {
      const turn = this.#pacer?.enter(request.signal) ?? 0;
      ticket = typeof turn === 'number' ? turn : await turn;
    } catch (reason) {
      return { error: notSent(reason, request.method, path) };
    }
    let response: TransportResponse;
    try {
      response = await this.#transport(request);
    } catch (thrown) {
      this.#pacer?.leave(ticket, undefined);
      return { error: this.#transportError(thrown) };
    }
    const rateLimit = readRateLimit(response.headers, this.#now());
    this.#rateLimit = rateLimit ?? this.#rateLimit;
    const { status } = response;
    if (status >= 200 && status < 300) {
      this.#pacer?.leave(ticket, { rateLimit });
      return readSuccess(request, response, (said) => this.#redact(said));
    }
    const error =
      status < 400 ? this.#redirected(request, response) : this.#apiError(request, response, path);
    const refusedMs = error instanceof ApiError && status === 429 ? (error.retryAfterMs ?? 0) : undefined;
    this.#pacer?.leave(ticket, { rateLimit }, refusedMs);
    return { error };
  }

  #apiError(request: TransportRequest, { status, headers, body }: TransportResponse, path: string): ApiError {
    const text = bodyText(body);
    const json = text === undefined ? body : (parseJson(text) ?? text);
    makePlain(json);
    const wire = readErrorBody(status, json, headers, (said) => this.#redact(said));
    const asked = readDelay(readHeader(headers, 'Retry-After'), this.#now());
    const untilReset =
      status === 429 && this.#rateLimit ? Math.max(0, this.#rateLimit.resetAt - this.#now()) : undefined;
    const retryAfterMs = asked ?? untilReset;
    return new ApiError({
      ...wire,
      status,
      method: request.method,
      path,
      retryable: isRetryable({ status, code: wire.code }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }

  #redirected({ url }: TransportRequest, { headers }: TransportResponse): TransportError {
    const location = readHeader(headers, 'Location') ?? '';
    const host = location !== '' && URL.canParse(location, url) ? new URL(location, url).host : '';
    // A host is always in lower case.
    const isShown = host !== '' && host.length < 256 && !host.includes(this.#apiKey.toLowerCase());
    const target = isShown ? ` to ${host}` : '';
    return new TransportError(
      `The request was redirected${target}. Redirects aren't followed, so the API key wasn't sent there.`,
      { kind: 'redirect' },
    );
  }

  #transportError(thrown: unknown): QrServiceError {
    if (isQrServiceError(thrown)) return thrown;
    // A foreign error may hold the whole request, the key among it: only its words are kept.
    const { message } = this.#redact({
      message: thrown instanceof Error ? thrown.message : 'unknown reason',
    });
    return new TransportError(`The service could not be reached: ${message}`, { kind: 'network' });
  }

  /** An answer may repeat what was sent: the key goes no further. */
  #redact<T extends object>(said: T): T {
    const json = JSON.stringify(said);
    const quoted = JSON.stringify(this.#apiKey).slice(1, -1);
    return json.includes(quoted) ? (JSON.parse(json.replaceAll(quoted, '[API key]')) as T) : said;
  }
}

const ACCEPT = { json: 'application/json', bytes: '*/*' } as const;

function readSuccess(
  request: TransportRequest,
  response: TransportResponse,
  hide: Hide,
): Answer | { error: QrServiceError } {
  const { status, headers } = response;
  // A transport that someone else made may have read it all.
  if (bodySize(response.body) > request.maxBytes) return { error: tooLarge(request.maxBytes) };
  if (request.responseType === 'bytes') return { status, headers, body: bodyBytes(response.body) };
  const text = bodyText(response.body);
  if (text === undefined) return readJson(response);
  if (text === '' || text.trim() === '') return { status, headers, body: undefined };
  const body = parseJson(text);
  if (body !== undefined) return readJson({ status, headers, body });
  // A cut or foreign body does not tell whether the work was done: like a lost answer, it may be asked again.
  const message = /^\s*[[{]/.test(text)
    ? `The response was cut off or isn't valid JSON (status ${status}).`
    : describeForeign(status, describeIntermediary(headers, hide));
  return { error: new TransportError(message, { kind: 'network' }) };
}

function readJson(answer: Answer): Answer | { error: QrServiceError } {
  if (makePlain(answer.body)) return answer;
  const message = `The service's answer can't be read: it is nested deeper than ${ANSWER_LIMITS.jsonLevels} levels.`;
  return { error: new QrServiceError(message, { code: 'unreadable_response' }) };
}

/** The pacer let the call not through. */
function notSent(reason: unknown, method: string, path: string): QrServiceError {
  if (!(reason instanceof TooFarError))
    return new TransportError('The request was cancelled.', { kind: 'aborted' });
  return new ApiError({
    status: 429,
    code: 'rate_limited',
    message: reason.message,
    retryable: true,
    retryAfterMs: reason.retryAfterMs,
    method,
    path,
  });
}

function cancelled({ timeoutMs }: CallOptions, deadline: AbortSignal | undefined): TransportError {
  return deadline?.aborted === true
    ? new TransportError(`The call did not end within ${timeoutMs ?? 0} ms.`, { kind: 'timeout' })
    : new TransportError('The request was cancelled.', { kind: 'aborted' });
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function anyOf(signal: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || other === undefined) return signal ?? other;
  return AbortSignal.any([signal, other]);
}

function queryString(query: Call['query']): string {
  if (query === undefined) return '';
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

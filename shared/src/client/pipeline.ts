import { randomUUID } from 'node:crypto';
import { API_PATH, BRAND } from '../contract/brand.ts';
import { authHeader, type AuthHeader } from '../contract/headers.ts';
import { readErrorBody } from '../wire/errorBody.ts';
import { readDelay } from '../wire/delay.ts';
import { readHeader, type WireHeaders } from '../wire/headers.ts';
import { readRateLimit, type RateLimit } from '../wire/rateLimit.ts';
import { ApiError } from './ApiError.ts';
import { bodyBytes, bodyText, parseJson } from './body.ts';
import { isQrServiceError, QrServiceError } from './QrServiceError.ts';
import { decideRetry, DEFAULT_RETRY, isRetryable, type RetryOptions } from './retry.ts';
import { isTransportError, TransportError } from './TransportError.ts';
import type { Sleep, Transport, TransportRequest, TransportResponse } from './transport.ts';

/** How a client is set up. */
export interface ClientOptions {
  /** Address of the service without the API path, e.g. `https://api.qr-service.example`. */
  baseUrl: string;
  /** Secret API key (API text, "Authentication"). */
  apiKey: string;
  transport: Transport;
  /** Default `authorization`. */
  authHeader?: AuthHeader;
  /** The brand word in `X-<prefix>-…` headers. Default `Service`. */
  headerPrefix?: string;
  /** `false` tries once. */
  retry?: RetryOptions | false;
  /** Milliseconds that one attempt may take. Default 30,000. */
  timeoutMs?: number;
  /** How to wait between attempts. Default: the transport's own; without any, nothing is waited for. */
  sleep?: Sleep;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  userAgent?: string;
}

/** Options of one call. */
export interface CallOptions {
  /** Sent as Idempotency-Key in place of one made for the call (API text, "Limits", 3). */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Milliseconds that one attempt may take. */
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

/** Turns a call into requests: address, key, idempotency, retries, errors. */
export class Pipeline {
  readonly #options: ClientOptions;
  readonly #address: string;
  readonly #retry: Required<RetryOptions>;
  readonly #now: () => number;
  readonly #sleep: Sleep | undefined;
  /** What the service last said of its rate limit. */
  rateLimit: RateLimit | undefined;

  constructor(options: ClientOptions) {
    this.#options = { ...options, apiKey: checkApiKey(options.apiKey) };
    this.#address = readBaseUrl(options.baseUrl);
    this.#retry =
      options.retry === false ? { ...DEFAULT_RETRY, maxAttempts: 1 } : { ...DEFAULT_RETRY, ...options.retry };
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? options.transport.sleep;
  }

  /**
   * Sends a call, again where that is safe and may help.
   * @throws ApiError when the service answers with a failure
   * @throws TransportError when no answer came
   */
  async send(call: Call, options: CallOptions = {}): Promise<Answer> {
    const request = this.#request(call, options);
    const began = this.#now();
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request, call.path);
      if (!('error' in outcome)) return outcome;
      const { error } = outcome;
      const api = error instanceof ApiError ? error : undefined;
      const decision = decideRetry({
        method: request.method,
        code: error.code,
        hasKey: request.headers['Idempotency-Key'] !== undefined,
        attempt,
        maxAttempts: this.#retry.maxAttempts,
        elapsedMs: this.#now() - began,
        budgetMs: this.#retry.budgetMs,
        random: Math.random(),
        ...(api === undefined ? {} : { status: api.status }),
        ...(api?.retryAfterMs === undefined ? {} : { retryAfterMs: api.retryAfterMs }),
      });
      if (!decision.retry || this.#sleep === undefined) throw error;
      await this.#wait(decision.waitMs, options.signal);
    }
  }

  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#sleep?.(ms, signal);
    } catch (cause) {
      throw new TransportError('The request was cancelled while waiting for another try.', {
        kind: 'aborted',
        cause,
      });
    }
  }

  #request(call: Call, options: CallOptions): TransportRequest {
    const { apiKey, authHeader: authHeaderKind, headerPrefix, userAgent, timeoutMs } = this.#options;
    const [authName, authValue] = authHeader({ apiKey, authHeader: authHeaderKind, headerPrefix });
    const headers: Record<string, string> = {
      [authName]: authValue,
      Accept: call.responseType === 'bytes' ? '*/*' : 'application/json',
    };
    if (userAgent !== undefined) headers['User-Agent'] = userAgent;
    if (call.method === 'POST') headers['Idempotency-Key'] = options.idempotencyKey ?? randomUUID();
    const request: TransportRequest = {
      method: call.method,
      url: this.#address + call.path + queryString(call.query),
      headers,
      responseType: call.responseType ?? 'json',
      timeoutMs: options.timeoutMs ?? timeoutMs ?? 30_000,
    };
    if (call.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      request.body = JSON.stringify(call.body);
    }
    if (options.signal !== undefined) request.signal = options.signal;
    return request;
  }

  async #attempt(request: TransportRequest, path: string): Promise<Answer | { error: QrServiceError }> {
    let response: TransportResponse;
    try {
      response = await this.#options.transport(request);
    } catch (thrown) {
      return { error: this.#transportError(thrown) };
    }
    this.rateLimit = readRateLimit(response.headers, this.#now()) ?? this.rateLimit;
    const { status, headers } = response;
    if (status >= 200 && status < 300) return this.#readSuccess(request, response);
    if (status >= 300 && status < 400)
      return {
        error: new TransportError(
          'The service answered with a redirect, which is not followed with the API key. Check the base address.',
          { kind: 'redirect' },
        ),
      };
    const wire = readErrorBody(status, parseJson(bodyText(response.body)) ?? response.body);
    const retryAfterMs = readDelay(readHeader(headers, 'Retry-After'), this.#now());
    const untilReset =
      status === 429 && this.rateLimit ? Math.max(0, this.rateLimit.resetAt - this.#now()) : undefined;
    const wait = retryAfterMs ?? untilReset;
    return {
      error: new ApiError({
        ...this.#redact(wire),
        status,
        method: request.method,
        path,
        retryable: isRetryable({ status, code: wire.code }),
        ...(wait === undefined ? {} : { retryAfterMs: wait }),
      }),
    };
  }

  #readSuccess(request: TransportRequest, response: TransportResponse): Answer | { error: QrServiceError } {
    const { status, headers } = response;
    if (request.responseType === 'bytes') return { status, headers, body: bodyBytes(response.body) };
    const text = bodyText(response.body);
    if (text === undefined) return { status, headers, body: response.body };
    if (text.trim() === '') return { status, headers, body: undefined };
    const body = parseJson(text);
    if (body !== undefined) return { status, headers, body };
    // A cut or foreign body does not tell whether the work was done: like a lost answer, it may be asked again.
    return {
      error: new TransportError(`The service's answer with status ${status} is not JSON.`, {
        kind: 'network',
      }),
    };
  }

  #transportError(thrown: unknown): QrServiceError {
    if (isTransportError(thrown) || isQrServiceError(thrown)) return thrown;
    const { message } = this.#redact({ message: messageOf(thrown) });
    return new TransportError(`The service could not be reached: ${message}`, { kind: 'network' });
  }

  /** An answer may repeat what was sent: the key goes no further. */
  #redact<T extends object>(said: T): T {
    const json = JSON.stringify(said);
    const quoted = JSON.stringify(this.#options.apiKey).slice(1, -1);
    return json.includes(quoted) ? (JSON.parse(json.replaceAll(quoted, '[API key]')) as T) : said;
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'unknown reason';
}

function checkApiKey(apiKey: string): string {
  const trimmed = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (trimmed === '')
    throw new QrServiceError('No API key was given. Make one in the app and put it into the connection.', {
      code: 'invalid_input',
    });
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw new QrServiceError('The API key has characters that no key has. Copy it again from the app.', {
      code: 'invalid_input',
    });
  return trimmed;
}

/** The API's address, whether or not the base address already ends with the API path. */
function readBaseUrl(baseUrl: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new QrServiceError(`The base address is no URL. It looks like ${BRAND.baseUrl}.`, {
      code: 'invalid_input',
    });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new QrServiceError('The base address must begin with https:// (or http:// on your own machine).', {
      code: 'invalid_input',
    });
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path.endsWith(API_PATH) ? path : path + API_PATH);
}

function queryString(query: Call['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

import { randomUUID } from 'node:crypto';
import { authHeader } from '../contract/headers.ts';
import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { ApiError } from '../errors/ApiError.ts';
import { duration } from '../errors/explain.ts';
import { isServiceUnavailable } from '../errors/isServiceUnavailable.ts';
import { isQrServiceError, type QrServiceError } from '../errors/QrServiceError.ts';
import { sentence } from '../errors/sentences.ts';
import { isTransportError, TransportError } from '../errors/TransportError.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { makePlain } from '../json/plainJson.ts';
import { isObject } from '../json/values.ts';
import { readDelay } from '../wire/delay.ts';
import { readErrorBody } from '../wire/errorBody.ts';
import { readHeader } from '../wire/headers.ts';
import { readRateLimit, type RateLimit } from '../wire/rateLimit.ts';
import { isReplayed } from '../wire/replayed.ts';
import { bodyText, parseJson } from './body.ts';
import {
  readApiKey,
  readBaseUrl,
  readHeaderPrefix,
  readRetry,
  readTimeout,
  type ClientOptions,
} from './configuration.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';
import { IdempotencyKeySequence } from './IdempotencyKeySequence.ts';
import { RateLimiter, WaitTooLongError } from './RateLimiter.ts';
import { readSuccess, type ApiResponse } from './readSuccess.ts';
import { requestFailed } from './requestFailed.ts';
import { decideRetry, isRetryable, waitBeforeRetry, type RetryOptions } from './retry.ts';
import type { Sleep, Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Options of one call. */
export interface CallOptions {
  /**
   * Sent as Idempotency-Key (API text, "Limits", 3); the same key returns the same result in any process.
   *
   * If the key was refused before and the service replays that refusal, the call continues with a new key that is derived
   * from this one: the refused call created nothing, but the service replays its refusal for a day.
   * @default a new key for each call
   */
  idempotencyKey?: string;
  /**
   * Cancels the call at once, even while it waits.
   * @default none
   */
  signal?: AbortSignal;
  /**
   * Time limit of the whole call, including all attempts and waits, in milliseconds.
   * @default only the limits of `retry`
   */
  timeoutMs?: number;
}

/** A call before it becomes a request. */
export interface Call {
  method: TransportRequest['method'];
  /** Below the API's base URL. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  responseType?: TransportRequest['responseType'];
}

/** The time of a call, in milliseconds. */
interface TimeBudget {
  /** For attempts and the waits between them. */
  budgetMs: number;
  /** For waits that the service asks for, with a 429 or with a 5xx and `Retry-After`. */
  rateLimitMs: number;
}

/** What all attempts of a call share. */
interface CallState {
  path: string;
  spent: TimeBudget;
  /** The most that may be spent. */
  limits: TimeBudget;
  /** Whether an attempt may have reached the service. */
  mayBeSent: boolean;
  /** Creates the error for a call that was ended by its signal or its time limit. */
  cancelled: () => TransportError;
}

/** Input of an attempt. */
interface Attempt {
  /** From 1. */
  attempt: number;
  /** Whether the previous attempt was refused by the rate limit. */
  wasLimited: boolean;
  /** Jitter of the wait after it: from 0 (inclusive) to 1. */
  random: number;
}

interface FailedAttempt {
  error: QrServiceError;
  /** The rate limiter didn't admit it. */
  isUnsent?: true;
}

const ACCEPT = { json: 'application/json', bytes: '*/*' } as const;

/** Turns a call into requests: URL, key, idempotency, rate limiting, retries, errors. */
export class RequestExecutor {
  readonly #transport: Transport;
  readonly #apiKey: string;
  readonly #baseUrl: string;
  /** Distinguishes accounts without storing the key. */
  readonly #account: string;
  /** Sent with every request. */
  readonly #headers: Record<string, string>;
  readonly #retry: Required<RetryOptions>;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #sleep: Sleep | undefined;
  readonly #rateLimiter: RateLimiter | undefined;
  #rateLimit: RateLimit | undefined;
  #lastResponseAt = -Infinity;
  #silentSince: number | undefined;

  /** @throws QrServiceError `invalid_input` for invalid options */
  constructor(options: ClientOptions) {
    this.#transport = options.transport;
    this.#apiKey = readApiKey(options.apiKey);
    this.#baseUrl = readBaseUrl(options.baseUrl);
    this.#timeoutMs = readTimeout(options.timeoutMs);
    this.#retry = readRetry(options.retry, this.#timeoutMs);
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? options.transport.sleep;
    if (this.#sleep !== undefined)
      this.#rateLimiter = new RateLimiter({
        now: this.#now,
        sleep: this.#sleep,
        maxWaitMs: this.#retry.rateLimitMs,
      });
    const headerPrefix = readHeaderPrefix(options.headerPrefix);
    this.#account = idempotencyKeyFrom([this.#baseUrl, this.#apiKey]);
    const [name, value] = authHeader({ apiKey: this.#apiKey, authHeader: options.authHeader, headerPrefix });
    this.#headers = { [name]: value };
    if (options.userAgent !== undefined) this.#headers['User-Agent'] = options.userAgent;
  }

  /** The service's rate limit as it last reported it. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit;
  }

  /**
   * When the service stopped responding, in milliseconds since the epoch: the time of the first request without a
   * response. Undefined while the service responds. A 5xx doesn't count as a response.
   */
  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  /**
   * For a call of several requests that share its time limit: returns a function that creates each request's options.
   */
  share(options: CallOptions = {}): () => CallOptions {
    const { timeoutMs } = options;
    if (timeoutMs === undefined) return () => options;
    const end = this.#now() + readTimeout(timeoutMs);
    return () => ({ ...options, timeoutMs: Math.max(1, end - this.#now()) });
  }

  /**
   * Sends a call, and retries it if that is safe and may succeed.
   * @throws ApiError if the service responds with an error
   * @throws TransportError if there is no usable response
   */
  async send(call: Call, options: CallOptions = {}): Promise<ApiResponse> {
    const deadline =
      options.timeoutMs === undefined
        ? undefined
        : AbortSignal.timeout(Math.ceil(readTimeout(options.timeoutMs)));
    const request = this.#request(call, anySignal(options.signal, deadline));
    const callMs = options.timeoutMs ?? Infinity;
    const state: CallState = {
      path: call.path,
      spent: { budgetMs: 0, rateLimitMs: 0 },
      limits: {
        budgetMs: Math.min(this.#retry.budgetMs, callMs),
        rateLimitMs: Math.min(this.#retry.rateLimitMs, callMs),
      },
      mayBeSent: false,
      cancelled: () => cancelled(options, deadline),
    };
    if (call.method !== 'POST') return this.#sendWithRetries(request, state);
    const keys = new IdempotencyKeySequence(options.idempotencyKey ?? randomUUID(), this.#account, this.#now);
    for (;;) {
      const idempotencyKey = keys.current;
      const headers = { ...request.headers, 'Idempotency-Key': idempotencyKey };
      try {
        return await this.#sendWithRetries({ ...request, headers }, state);
      } catch (error) {
        if (isQrServiceError(error)) error.idempotencyKey = idempotencyKey;
        const hasNextKey = keys.advanceAfter(error);
        if (!hasNextKey || state.spent.budgetMs >= state.limits.budgetMs) throw error;
      }
    }
  }

  /** Sends a request until it succeeds, can't be retried, or the call has used up its time. */
  async #sendWithRetries(request: TransportRequest, state: CallState): Promise<ApiResponse> {
    const { signal } = request;
    const { spent, limits } = state;
    let wasLimited = false;
    /** At the last 429: how many calls had been accepted, and how long the refused attempts have taken. */
    let acceptedBefore: number | undefined;
    let refusedMs = 0;
    for (let attempt = 1; ; attempt++) {
      const spentBefore = spent.budgetMs;
      const random = Math.random();
      const outcome = await this.#attempt(request, state, { attempt, wasLimited, random });
      if (!('error' in outcome)) return outcome;
      const { error } = outcome;
      noteSent(outcome, state);
      if (isAborted(signal)) throw state.cancelled();
      const apiError = error instanceof ApiError ? error : undefined;
      wasLimited = apiError?.status === 429 || isAnnouncedPause(apiError);
      if (apiError?.status === 429 && outcome.isUnsent !== true) {
        // The call waits in a queue. If others were accepted since its last refusal, its turn will come.
        if (acceptedBefore !== undefined && acceptedBefore !== this.#rateLimiter?.accepted) {
          attempt = 1;
          spent.rateLimitMs = 0;
          spent.budgetMs = Math.max(0, spent.budgetMs - refusedMs);
          refusedMs = 0;
        }
        acceptedBefore = this.#rateLimiter?.accepted;
        refusedMs += spent.budgetMs - spentBefore;
      }
      const budget = wasLimited ? 'rateLimitMs' : 'budgetMs';
      const isForeign = apiError?.intermediary !== undefined;
      const decision = decideRetry({
        method: request.method,
        status: apiError?.status,
        code: error.code,
        hasKey: 'Idempotency-Key' in request.headers,
        attempt,
        maxAttempts: this.#retry.maxAttempts,
        retryAfterMs: apiError?.retryAfterMs,
        elapsedMs: spent[budget],
        budgetMs: isForeign ? Math.min(limits[budget], limits.budgetMs) : limits[budget],
        random,
      });
      if (!decision.retry || this.#sleep === undefined || outcome.isUnsent === true) throw error;
      const { waitMs } = decision;
      if (wasLimited) {
        // The rate limiter does the waiting.
        spent.rateLimitMs += waitMs;
        if (spent.budgetMs >= limits.budgetMs) throw error;
        continue;
      }
      const startedAt = this.#now();
      try {
        await this.#sleep(waitMs, signal);
      } catch (cause) {
        if (isAborted(signal)) throw state.cancelled();
        // The platform has no time to wait now, but may retry later: the service's error says when.
        if (apiError?.retryAfterMs !== undefined) throw error;
        throw new TransportError('The service is too slow right now.', { kind: 'deadline', cause });
      }
      spent.budgetMs += Math.max(waitMs, this.#now() - startedAt);
      if (spent.budgetMs >= limits.budgetMs) throw error;
    }
  }

  #request(call: Call, signal: AbortSignal | undefined): TransportRequest {
    const { responseType = 'json' } = call;
    const headers: Record<string, string> = { ...this.#headers, Accept: ACCEPT[responseType] };
    const request: TransportRequest = {
      method: call.method,
      url: this.#baseUrl + call.path + queryString(call.query),
      headers,
      responseType,
      timeoutMs: this.#timeoutMs,
      maxBytes: responseType === 'bytes' ? RESPONSE_LIMITS.imageBytes : RESPONSE_LIMITS.jsonBytes,
    };
    if (call.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      request.body = JSON.stringify(call.body);
    }
    if (signal !== undefined) request.signal = signal;
    return request;
  }

  async #attempt(
    request: TransportRequest,
    { path, spent, limits }: CallState,
    { attempt, wasLimited, random }: Attempt,
  ): Promise<ApiResponse | FailedAttempt> {
    let ticket = 0;
    try {
      const turn = this.#rateLimiter?.acquire(request.signal, wasLimited) ?? 0;
      ticket = typeof turn === 'number' ? turn : await turn;
    } catch (reason) {
      return { error: unsentError(reason, request.method, path), isUnsent: true };
    }
    const sentAt = this.#now();
    const timeoutMs = Math.min(request.timeoutMs, Math.ceil(limits.budgetMs - spent.budgetMs));
    let response: TransportResponse;
    try {
      response = await this.#transport({ ...request, timeoutMs });
    } catch (thrown) {
      this.#rateLimiter?.release(ticket, undefined);
      const error = this.#transportError(thrown, { request, timeoutMs });
      this.#recordAvailability(sentAt, error);
      return { error };
    } finally {
      spent.budgetMs += Math.max(0, this.#now() - sentAt);
    }
    const rateLimit = readRateLimit(response.headers, this.#now());
    this.#rateLimit = rateLimit ?? this.#rateLimit;
    const { status } = response;
    if (status >= 200 && status < 300) {
      this.#rateLimiter?.release(ticket, { rateLimit });
      const read = readSuccess(request, response, (value) => this.#redact(value));
      this.#recordAvailability(sentAt, 'error' in read ? read.error : undefined);
      return read;
    }
    const error =
      status < 400 ? this.#redirectError(request, response) : this.#apiError(request, response, path);
    const apiError = error instanceof ApiError ? error : undefined;
    const isPause = isAnnouncedPause(apiError);
    const refusedMs =
      status === 429 || isPause
        ? waitBeforeRetry({ status, attempt, random, retryAfterMs: apiError?.retryAfterMs })
        : Infinity;
    // A proxy's Retry-After says nothing about the service's window: calls wait no longer for it than for any other
    // error.
    const maxRefusedMs = apiError?.intermediary === undefined ? Number.MAX_VALUE : limits.budgetMs;
    this.#rateLimiter?.release(
      ticket,
      { rateLimit },
      refusedMs <= maxRefusedMs ? refusedMs : undefined,
      isPause,
    );
    this.#recordAvailability(sentAt, error);
    return { error };
  }

  /** Records whether the service responded to a request. */
  #recordAvailability(sentAt: number, error: QrServiceError | undefined): void {
    const isSilence = error !== undefined && isServiceUnavailable(error);
    // A redirect or a cancelled request says nothing about the service.
    if (!isSilence && error instanceof TransportError) return;
    if (isSilence) this.#silentSince ??= Math.max(sentAt, this.#lastResponseAt);
    else {
      this.#silentSince = undefined;
      this.#lastResponseAt = this.#now();
    }
  }

  #apiError(request: TransportRequest, response: TransportResponse, path: string): ApiError {
    const { status, headers, body } = response;
    const text = bodyText(body);
    const json = text === undefined ? body : (parseJson(text) ?? text);
    makePlain(json);
    const failure = readErrorBody({ ...response, body: json }, (value) => this.#redact(value));
    const retryAfter = readDelay(readHeader(headers, 'Retry-After'), this.#now());
    // Only a used-up window says when there is room, and only for the service's own rate limit.
    const window = status === 429 && failure.intermediary === undefined ? this.#rateLimit : undefined;
    const untilReset = window?.remaining === 0 ? window.resetAt - this.#now() : 0;
    return new ApiError({
      ...failure,
      status,
      method: request.method,
      path,
      retryable: isRetryable({ status, code: failure.code }),
      ...omitUndefined({ retryAfterMs: retryAfter ?? (untilReset > 0 ? untilReset : undefined) }),
      ...omitUndefined({ input: this.#inputOf(request, path) }),
      replayed: isReplayed(headers),
    });
  }

  /** The fields that were sent, for errors that name an input. Not for webhook subscriptions: their URL is private. */
  #inputOf({ url, body }: TransportRequest, path: string): Record<string, unknown> | undefined {
    if (path.startsWith('/webhooks')) return undefined;
    const sent = parseJson(body);
    const query = new URL(url).searchParams;
    return this.#redact({ ...Object.fromEntries(query), ...(isObject(sent) ? sent : {}) });
  }

  #redirectError({ url }: TransportRequest, { headers }: TransportResponse): TransportError {
    const location = readHeader(headers, 'Location') ?? '';
    const host = location !== '' && URL.canParse(location, url) ? new URL(location, url).host : '';
    // A host is always in lower case.
    const isShown = host !== '' && host.length < 256 && !host.includes(this.#apiKey.toLowerCase());
    const target = isShown ? ` to ${host}` : '';
    return new TransportError(`The request was redirected${target}.`, {
      kind: 'redirect',
      detail: "Redirects aren't followed, so the API key wasn't sent there.",
    });
  }

  #transportError(
    thrown: unknown,
    { request, timeoutMs }: { request: TransportRequest; timeoutMs: number },
  ): QrServiceError {
    // The rest of the budget may be shorter than the request's limit, but the error names that limit.
    if (isTransportError(thrown) && thrown.kind === 'timeout' && timeoutMs < request.timeoutMs)
      return requestFailed(request, { timedOut: true, cause: thrown.cause });
    if (isQrServiceError(thrown)) return thrown;
    // A transport's own error may contain the whole request, including the key: keep only its message.
    const { message } = this.#redact({
      message: thrown instanceof Error ? thrown.message : 'unknown reason',
    });
    return new TransportError('The service could not be reached.', {
      kind: 'network',
      detail: sentence(message),
    });
  }

  /** Removes the API key, as a response may echo the request. */
  #redact<T extends object>(value: T): T {
    const json = JSON.stringify(value);
    const quoted = JSON.stringify(this.#apiKey).slice(1, -1);
    return json.includes(quoted) ? (JSON.parse(json.replaceAll(quoted, '[API key]')) as T) : value;
  }
}

/** Whether the service is unavailable and says when it will be back: then all calls wait, as for the rate limit. */
function isAnnouncedPause(error: ApiError | undefined): boolean {
  if (error === undefined || error.status < 500 || !error.retryable) return false;
  return error.intermediary === undefined && (error.retryAfterMs ?? 0) > 0;
}

/** An unsent attempt doesn't mean that earlier attempts weren't sent. */
function noteSent({ error, isUnsent }: FailedAttempt, state: CallState): void {
  const isTransport = isTransportError(error);
  if (isUnsent !== true && !(isTransport && error.unsent)) state.mayBeSent = true;
  if (isTransport && state.mayBeSent) error.unsent = false;
}

/** The error for a call that the rate limiter didn't admit. */
function unsentError(reason: unknown, method: string, path: string): QrServiceError {
  if (!(reason instanceof WaitTooLongError))
    return new TransportError('The request was cancelled.', { kind: 'aborted' });
  return new ApiError({
    status: reason.isPause ? 503 : 429,
    code: reason.isPause ? 'http_503' : 'rate_limited',
    message: reason.message,
    retryable: true,
    retryAfterMs: reason.retryAfterMs,
    method,
    path,
  });
}

function cancelled({ timeoutMs }: CallOptions, deadline: AbortSignal | undefined): TransportError {
  return deadline?.aborted === true
    ? new TransportError(`The call did not complete within ${duration(timeoutMs ?? 0)}.`, { kind: 'timeout' })
    : new TransportError('The request was cancelled.', { kind: 'aborted' });
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function anySignal(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return AbortSignal.any([a, b]);
}

function queryString(query: Call['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

import { randomUUID } from 'node:crypto';
import { authHeader } from '../contract/headers.ts';
import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { readErrorBody } from '../wire/errorBody.ts';
import { readDelay } from '../wire/delay.ts';
import { readHeader, type WireHeaders } from '../wire/headers.ts';
import { describeIntermediary, type Hide } from '../wire/intermediary.ts';
import { makePlain } from '../json/plainJson.ts';
import { isReplayed } from '../wire/replayed.ts';
import { readRateLimit, type RateLimit } from '../wire/rateLimit.ts';
import { ApiError } from '../errors/ApiError.ts';
import { bodyBytes, bodySize, bodyText, parseJson } from './body.ts';
import {
  readApiKey,
  readBaseUrl,
  readHeaderPrefix,
  readRetry,
  readTimeout,
  type ClientOptions,
} from './configuration.ts';
import { describeForeign } from '../errors/explain.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';
import { isServiceUnavailable } from '../errors/isServiceUnavailable.ts';
import { RateLimiter, WaitTooLongError } from './RateLimiter.ts';
import { isQrServiceError, QrServiceError } from '../errors/QrServiceError.ts';
import { tooLarge } from './readBody.ts';
import { WriteKeys, type RefusedKeys } from './WriteKeys.ts';
import { decideRetry, isRetryable, waitBeforeRetry, type RetryOptions } from './retry.ts';
import { requestFailed } from './requestFailed.ts';
import { isTransportError, TransportError } from '../errors/TransportError.ts';
import type { Sleep, Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Options of one call. */
export interface CallOptions {
  /**
   * Sent as Idempotency-Key in place of one made for the call (API text, "Limits", 3). A call whose key was refused
   * before goes on to a next key, made from this one, once it is refused again: nothing was made under the first, and
   * its refusal is replayed for a day. An input that was corrected since counts as refused again where the service
   * answers it with a conflict. The same key finds the same result in any process.
   * @default a new random key for each POST
   */
  idempotencyKey?: string;
  /**
   * Cancels the call at once, even while it waits.
   * @default never cancelled
   */
  signal?: AbortSignal;
  /**
   * Milliseconds that the whole call may take, including all attempts and waits.
   * @default only the limits of `retry`
   */
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

/** What a call has used up of its limits, in milliseconds. */
interface Spent {
  /** By attempts and the waits between them. */
  budgetMs: number;
  /** By waits that the service asked for: with 429, or with a 5xx that says when to come back. */
  rateLimitMs: number;
}

/** Turns a call into requests: address, key, idempotency, pacing, retries, errors. */
export class RequestExecutor {
  readonly #transport: Transport;
  readonly #apiKey: string;
  readonly #address: string;
  /** Tells accounts apart without holding a key. */
  readonly #account: string;
  /** Sent with every request. */
  readonly #headers: Record<string, string>;
  readonly #retry: Required<RetryOptions>;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #sleep: Sleep | undefined;
  readonly #rateLimiter: RateLimiter | undefined;
  readonly #refusedKeys: RefusedKeys | undefined;
  #rateLimit: RateLimit | undefined;
  #lastAnswerAt = -Infinity;
  #silentSince: number | undefined;

  /** @throws QrServiceError `invalid_input` for options that can't be used */
  constructor(options: ClientOptions) {
    this.#transport = options.transport;
    this.#apiKey = readApiKey(options.apiKey);
    this.#address = readBaseUrl(options.baseUrl);
    this.#timeoutMs = readTimeout(options.timeoutMs);
    this.#retry = readRetry(options.retry, this.#timeoutMs);
    this.#refusedKeys = options.refusedKeys;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? options.transport.sleep;
    if (this.#sleep !== undefined)
      this.#rateLimiter = new RateLimiter({
        now: this.#now,
        sleep: this.#sleep,
        patienceMs: this.#retry.rateLimitMs,
      });
    const headerPrefix = readHeaderPrefix(options.headerPrefix);
    this.#account = idempotencyKeyFrom([this.#address, this.#apiKey]);
    const [name, value] = authHeader({ apiKey: this.#apiKey, authHeader: options.authHeader, headerPrefix });
    this.#headers = { [name]: value };
    if (options.userAgent !== undefined) this.#headers['User-Agent'] = options.userAgent;
  }

  /** What the service last said of its rate limit. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit;
  }

  /**
   * Since when no call has been answered, in milliseconds since the epoch: when the first request that got no answer
   * was sent. Undefined while the service answers. A 5xx is no answer.
   */
  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  /** Begins a call of several requests: gives the options of each, which share the call's time limit. */
  share(options: CallOptions = {}): () => CallOptions {
    const { timeoutMs } = options;
    if (timeoutMs === undefined) return () => options;
    const end = this.#now() + readTimeout(timeoutMs);
    return () => ({ ...options, timeoutMs: Math.max(1, end - this.#now()) });
  }

  /**
   * Sends a call, again where that is safe and may help.
   * @throws ApiError when the service answers with a failure
   * @throws TransportError when no answer came
   */
  async send(call: Call, options: CallOptions = {}): Promise<Answer> {
    const deadline =
      options.timeoutMs === undefined
        ? undefined
        : AbortSignal.timeout(Math.ceil(readTimeout(options.timeoutMs)));
    const request = this.#request(call, anyOf(options.signal, deadline));
    const most = options.timeoutMs ?? Infinity;
    const allowed: Spent = {
      budgetMs: Math.min(this.#retry.budgetMs, most),
      rateLimitMs: Math.min(this.#retry.rateLimitMs, most),
    };
    const trip: Trip = {
      path: call.path,
      spent: { budgetMs: 0, rateLimitMs: 0 },
      allowed,
      cancelled: () => cancelled(options, deadline),
    };
    if (call.method !== 'POST') return this.#try(request, trip);
    const keys = await WriteKeys.begin(options.idempotencyKey ?? randomUUID(), {
      account: this.#account,
      now: this.#now,
      refusedKeys: this.#refusedKeys,
    });
    for (;;) {
      const idempotencyKey = keys.current;
      const headers = { ...request.headers, 'Idempotency-Key': idempotencyKey };
      try {
        const answer = await this.#try({ ...request, headers }, trip);
        await keys.noteAct();
        return answer;
      } catch (error) {
        if (isQrServiceError(error)) error.idempotencyKey = idempotencyKey;
        if (!(await keys.moveOn(error)) || trip.spent.budgetMs >= allowed.budgetMs) throw error;
      }
    }
  }

  /** Sends a request until it is answered or its call has used up what it may take. */
  async #try(request: TransportRequest, trip: Trip): Promise<Answer> {
    const { signal } = request;
    const { spent, allowed } = trip;
    let wasLimited = false;
    /** At the last refusal: how many calls had got through, and what the attempts that were refused have taken. */
    let passed: number | undefined;
    let refusedMs = 0;
    for (let attempt = 1; ; attempt++) {
      const spentBefore = spent.budgetMs;
      const random = Math.random();
      const outcome = await this.#attempt(request, trip, { attempt, wasLimited, random });
      if (!('error' in outcome)) return outcome;
      const { error } = outcome;
      if (isAborted(signal)) throw trip.cancelled();
      const api = error instanceof ApiError ? error : undefined;
      wasLimited = api?.status === 429 || isAnnouncedPause(api);
      if (api?.status === 429 && outcome.isUnsent !== true) {
        // It waits in line; the calls that got through since it was refused last show that its turn will come.
        if (passed !== undefined && passed !== this.#rateLimiter?.passed) {
          attempt = 1;
          spent.rateLimitMs = 0;
          spent.budgetMs = Math.max(0, spent.budgetMs - refusedMs);
          refusedMs = 0;
        }
        passed = this.#rateLimiter?.passed;
        refusedMs += spent.budgetMs - spentBefore;
      }
      const limit = wasLimited ? 'rateLimitMs' : 'budgetMs';
      const most =
        api?.intermediary === undefined ? allowed[limit] : Math.min(allowed[limit], allowed.budgetMs);
      const decision = decideRetry({
        method: request.method,
        code: error.code,
        hasKey: 'Idempotency-Key' in request.headers,
        attempt,
        maxAttempts: this.#retry.maxAttempts,
        elapsedMs: spent[limit],
        budgetMs: most,
        random,
        ...(api === undefined ? {} : { status: api.status }),
        ...(api?.retryAfterMs === undefined ? {} : { retryAfterMs: api.retryAfterMs }),
      });
      if (!decision.retry || this.#sleep === undefined || outcome.isUnsent === true) throw error;
      const { waitMs } = decision;
      if (wasLimited) {
        spent.rateLimitMs += waitMs;
        if (spent.budgetMs >= allowed.budgetMs) throw error;
        continue;
      }
      const began = this.#now();
      try {
        await this.#sleep(waitMs, signal);
      } catch (cause) {
        if (isAborted(signal)) throw trip.cancelled();
        // The platform has no time for the wait: it may take the time that the service asked for instead.
        if (api?.retryAfterMs !== undefined) throw error;
        throw new TransportError('The service is too slow right now.', { kind: 'deadline', cause });
      }
      spent.budgetMs += Math.max(waitMs, this.#now() - began);
      if (spent.budgetMs >= allowed.budgetMs) throw error;
    }
  }

  #request(call: Call, signal: AbortSignal | undefined): TransportRequest {
    const headers: Record<string, string> = { ...this.#headers, Accept: ACCEPT[call.responseType ?? 'json'] };
    const request: TransportRequest = {
      method: call.method,
      url: this.#address + call.path + queryString(call.query),
      headers,
      responseType: call.responseType ?? 'json',
      timeoutMs: this.#timeoutMs,
      maxBytes: call.responseType === 'bytes' ? RESPONSE_LIMITS.imageBytes : RESPONSE_LIMITS.jsonBytes,
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
    { path, spent, allowed }: Trip,
    { attempt, wasLimited, random }: Attempt,
  ): Promise<Answer | Failed> {
    let ticket = 0;
    try {
      const turn = this.#rateLimiter?.enter(request.signal, wasLimited) ?? 0;
      ticket = typeof turn === 'number' ? turn : await turn;
    } catch (reason) {
      return { error: notSent(reason, request.method, path), isUnsent: true };
    }
    const sentAt = this.#now();
    const timeoutMs = Math.min(request.timeoutMs, Math.ceil(allowed.budgetMs - spent.budgetMs));
    let response: TransportResponse;
    try {
      response = await this.#transport({ ...request, timeoutMs });
    } catch (thrown) {
      this.#rateLimiter?.leave(ticket, undefined);
      const error = this.#transportError(thrown, { request, timeoutMs });
      this.#heard(sentAt, error);
      return { error };
    } finally {
      spent.budgetMs += Math.max(0, this.#now() - sentAt);
    }
    const rateLimit = readRateLimit(response.headers, this.#now());
    this.#rateLimit = rateLimit ?? this.#rateLimit;
    const { status } = response;
    if (status >= 200 && status < 300) {
      this.#rateLimiter?.leave(ticket, { rateLimit });
      const read = readSuccess(request, response, (said) => this.#redact(said));
      this.#heard(sentAt, 'error' in read ? read.error : undefined);
      return read;
    }
    const error =
      status < 400 ? this.#redirected(request, response) : this.#apiError(request, response, path);
    const api = error instanceof ApiError ? error : undefined;
    const isPause = isAnnouncedPause(api);
    const refusedMs =
      status === 429 || isPause
        ? waitBeforeRetry({ status, attempt, random, retryAfterMs: api?.retryAfterMs ?? 0 })
        : Infinity;
    // What a proxy asks for is no window of the service: nobody waits longer for it than for any other failure.
    const most = api?.intermediary === undefined ? Number.MAX_VALUE : allowed.budgetMs;
    this.#rateLimiter?.leave(ticket, { rateLimit }, refusedMs <= most ? refusedMs : undefined, isPause);
    this.#heard(sentAt, error);
    return { error };
  }

  /** Notes whether the service answered a request. */
  #heard(sentAt: number, error: QrServiceError | undefined): void {
    const isSilence = error !== undefined && isServiceUnavailable(error);
    // A redirect, or what a signal ended, says nothing of the service.
    if (!isSilence && error instanceof TransportError) return;
    if (isSilence) this.#silentSince ??= Math.max(sentAt, this.#lastAnswerAt);
    else {
      this.#silentSince = undefined;
      this.#lastAnswerAt = this.#now();
    }
  }

  #apiError(request: TransportRequest, { status, headers, body }: TransportResponse, path: string): ApiError {
    const text = bodyText(body);
    const json = text === undefined ? body : (parseJson(text) ?? text);
    makePlain(json);
    const wire = readErrorBody(status, json, headers, (said) => this.#redact(said));
    const asked = readDelay(readHeader(headers, 'Retry-After'), this.#now());
    // Only a window that is used up tells when there is room, and only of the service's own limit.
    const window = status === 429 && wire.intermediary === undefined ? this.#rateLimit : undefined;
    const untilReset = window?.remaining === 0 ? window.resetAt - this.#now() : 0;
    const retryAfterMs = asked ?? (untilReset > 0 ? untilReset : undefined);
    return new ApiError({
      ...wire,
      status,
      method: request.method,
      path,
      retryable: isRetryable({ status, code: wire.code }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(isReplayed(headers) ? { replayed: true } : {}),
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

  #transportError(
    thrown: unknown,
    { request, timeoutMs }: { request: TransportRequest; timeoutMs: number },
  ): QrServiceError {
    // A limit that was cut to the rest of the budget is not what the service took too long for.
    if (isTransportError(thrown) && thrown.kind === 'timeout' && timeoutMs < request.timeoutMs)
      return requestFailed(request, { timedOut: true, cause: thrown.cause });
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

/** What all attempts of a call share. */
interface Trip {
  path: string;
  spent: Spent;
  /** The most that may be spent. */
  allowed: Spent;
  /** The error of a call that its signal or its time limit ended. */
  cancelled: () => TransportError;
}

/** What an attempt begins with. */
interface Attempt {
  /** From 1. */
  attempt: number;
  /** Whether the rate limit refused the one before. */
  wasLimited: boolean;
  /** Its jitter. */
  random: number;
}

/** An attempt that failed. */
interface Failed {
  error: QrServiceError;
  /** The rateLimiter did not let it through. */
  isUnsent?: true;
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
  const message = `The service's answer can't be read: it is nested deeper than ${RESPONSE_LIMITS.jsonLevels} levels.`;
  return { error: new QrServiceError(message, { code: 'unreadable_response' }) };
}

/** Whether the service is away and says when it is back: everybody waits then, as for the rate limit. */
function isAnnouncedPause(error: ApiError | undefined): boolean {
  if (error === undefined || error.status < 500 || !error.retryable) return false;
  return error.intermediary === undefined && (error.retryAfterMs ?? 0) > 0;
}

/** The rateLimiter let the call not through. */
function notSent(reason: unknown, method: string, path: string): QrServiceError {
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

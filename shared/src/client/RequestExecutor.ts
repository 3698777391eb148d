import { randomUUID } from 'node:crypto';
import { authHeader } from '../contract/headers.ts';
import { ApiError } from '../errors/ApiError.ts';
import { isQrServiceError, type QrServiceError } from '../errors/QrServiceError.ts';
import { isTransportError, TransportError } from '../errors/TransportError.ts';
import { readRateLimit, type RateLimit } from '../wire/rateLimit.ts';
import { Availability } from './Availability.ts';
import { buildRequest, type Call } from './buildRequest.ts';
import { CallBudget } from './CallBudget.ts';
import { CallErrors, canceled, notAdmitted } from './CallErrors.ts';
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
import { RateLimiter } from './RateLimiter.ts';
import { readSuccess, type ApiResponse } from './readSuccess.ts';
import { decideRetry, waitBeforeRetry, type RetryOptions } from './retry.ts';
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

/** What all attempts of a call share. */
interface CallState {
  path: string;
  budget: CallBudget;
  /** Whether an attempt may have reached the service. */
  mayBeSent: boolean;
  /** Whether the service may have carried out an attempt that failed. */
  mayBeDone: boolean;
  /** Creates the error for a call that was ended by its signal or its time limit. */
  canceled: () => TransportError;
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

/** Sends calls: builds the request, with an Idempotency-Key for a POST, and retries it at the service's pace. */
export class RequestExecutor {
  readonly #transport: Transport;
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
  readonly #errors: CallErrors;
  readonly #availability: Availability;
  #rateLimit: RateLimit | undefined;

  /** @throws QrServiceError `invalid_input` for invalid options */
  constructor(options: ClientOptions) {
    this.#transport = options.transport;
    const apiKey = readApiKey(options.apiKey);
    this.#baseUrl = readBaseUrl(options.baseUrl);
    this.#timeoutMs = readTimeout(options.timeoutMs);
    this.#retry = readRetry(options.retry, this.#timeoutMs);
    this.#now = options.now ?? Date.now;
    this.#errors = new CallErrors(apiKey, this.#now);
    this.#availability = new Availability(this.#now);
    this.#sleep = options.sleep ?? options.transport.sleep;
    if (this.#sleep !== undefined)
      this.#rateLimiter = new RateLimiter({
        now: this.#now,
        sleep: this.#sleep,
        maxWaitMs: this.#retry.rateLimitMs,
      });
    const headerPrefix = readHeaderPrefix(options.headerPrefix);
    this.#account = idempotencyKeyFrom([this.#baseUrl, apiKey]);
    const [name, value] = authHeader({ apiKey, authHeader: options.authHeader, headerPrefix });
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
    return this.#availability.silentSince;
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
    const request = buildRequest(call, {
      baseUrl: this.#baseUrl,
      headers: this.#headers,
      timeoutMs: this.#timeoutMs,
      signal: anySignal(options.signal, deadline),
    });
    const state: CallState = {
      path: call.path,
      budget: new CallBudget(this.#retry, options.timeoutMs),
      mayBeSent: false,
      mayBeDone: false,
      canceled: () => canceled(deadline?.aborted === true ? options.timeoutMs : undefined),
    };
    if (call.method !== 'POST') return this.#sendWithRetries(request, state);
    const keys = new IdempotencyKeySequence(options.idempotencyKey ?? randomUUID(), this.#account);
    for (;;) {
      const idempotencyKey = keys.current;
      const headers = { ...request.headers, 'Idempotency-Key': idempotencyKey };
      try {
        return await this.#sendWithRetries({ ...request, headers }, state);
      } catch (error) {
        if (isQrServiceError(error)) {
          error.idempotencyKey = idempotencyKey;
          if (state.mayBeDone) error.isUnconfirmed = true;
        }
        const hasNextKey = keys.advanceAfter(error);
        if (!hasNextKey || state.budget.isUsedUp) throw error;
      }
    }
  }

  /** Sends a request until it succeeds, can't be retried, or the call has used up its time. */
  async #sendWithRetries(request: TransportRequest, state: CallState): Promise<ApiResponse> {
    const { signal } = request;
    const { budget } = state;
    let wasLimited = false;
    /** How many calls had been accepted at the last 429. */
    let acceptedBefore: number | undefined;
    for (let attempt = 1; ; attempt++) {
      const random = Math.random();
      const outcome = await this.#attempt(request, state, { attempt, wasLimited, random });
      if (!('error' in outcome)) return outcome;
      const { error } = outcome;
      noteSent(outcome, state);
      if (isAborted(signal)) throw state.canceled();
      const apiError = error instanceof ApiError ? error : undefined;
      wasLimited = apiError?.status === 429 || isAnnouncedPause(apiError);
      if (apiError?.status === 429 && outcome.isUnsent !== true) {
        // The call waits in a queue. If others were accepted since its last refusal, its turn will come.
        if (acceptedBefore !== undefined && acceptedBefore !== this.#rateLimiter?.accepted) {
          attempt = 1;
          budget.restart();
        }
        acceptedBefore = this.#rateLimiter?.accepted;
        budget.noteRefusal();
      }
      const waitMs = decideRetry({
        method: request.method,
        status: apiError?.status,
        code: error.code,
        hasKey: 'Idempotency-Key' in request.headers,
        attempt,
        maxAttempts: this.#retry.maxAttempts,
        retryAfterMs: apiError?.retryAfterMs,
        ...budget.forWait({ isService: wasLimited, isProxy: apiError?.intermediary !== undefined }),
        random,
      });
      if (waitMs === undefined || this.#sleep === undefined || outcome.isUnsent === true) throw error;
      if (wasLimited) {
        // The rate limiter does the waiting.
        budget.spendOnServiceWait(waitMs);
        if (budget.isUsedUp) throw error;
        continue;
      }
      const startedAt = this.#now();
      try {
        await this.#sleep(waitMs, signal);
      } catch (cause) {
        if (isAborted(signal)) throw state.canceled();
        // The platform has no time to wait now, but may retry later: the service's error says when.
        if (apiError?.retryAfterMs !== undefined) throw error;
        throw new TransportError('The service is too slow right now.', { kind: 'deadline', cause });
      }
      budget.spendOnWait(Math.max(waitMs, this.#now() - startedAt));
      if (budget.isUsedUp) throw error;
    }
  }

  async #attempt(
    request: TransportRequest,
    { path, budget }: CallState,
    { attempt, wasLimited, random }: Attempt,
  ): Promise<ApiResponse | FailedAttempt> {
    let ticket = 0;
    try {
      const turn = this.#rateLimiter?.acquire(request.signal, wasLimited) ?? 0;
      ticket = typeof turn === 'number' ? turn : await turn;
    } catch (reason) {
      return { error: notAdmitted(reason, request.method, path), isUnsent: true };
    }
    const sentAt = this.#now();
    const timeoutMs = Math.min(request.timeoutMs, budget.ownLeftMs);
    let response: TransportResponse;
    try {
      response = await this.#transport({ ...request, timeoutMs });
    } catch (thrown) {
      this.#rateLimiter?.release(ticket, undefined);
      const error = this.#errors.ofTransport(thrown, request, timeoutMs);
      this.#availability.record(sentAt, error);
      return { error };
    } finally {
      budget.spendOnAttempt(this.#now() - sentAt);
    }
    const rateLimit = readRateLimit(response.headers, this.#now());
    this.#rateLimit = rateLimit ?? this.#rateLimit;
    const { status } = response;
    if (status >= 200 && status < 300) {
      this.#rateLimiter?.release(ticket, { rateLimit });
      const read = readSuccess(request, response, (value) => this.#errors.redactResult(value));
      this.#availability.record(sentAt, 'error' in read ? read.error : undefined);
      return read;
    }
    const error = this.#errors.ofResponse(request, response, { path, rateLimit: this.#rateLimit });
    const apiError = error instanceof ApiError ? error : undefined;
    const isPause = isAnnouncedPause(apiError);
    const refusedMs =
      status === 429 || isPause
        ? waitBeforeRetry({ status, attempt, random, retryAfterMs: apiError?.retryAfterMs })
        : Infinity;
    // A proxy's Retry-After says nothing about the service's window: calls wait no longer for it than for any other
    // error.
    const maxRefusedMs = apiError?.intermediary === undefined ? Number.MAX_VALUE : budget.ownMs;
    this.#rateLimiter?.release(
      ticket,
      { rateLimit },
      refusedMs <= maxRefusedMs ? refusedMs : undefined,
      isPause,
    );
    this.#availability.record(sentAt, error);
    return { error };
  }
}

/** Whether the service is unavailable and says when it will be back: then all calls wait, as for the rate limit. */
function isAnnouncedPause(error: ApiError | undefined): boolean {
  if (error === undefined || error.status < 500 || !error.retryable) return false;
  return error.intermediary === undefined && (error.retryAfterMs ?? 0) > 0;
}

/** Whether the service may have carried out an attempt that failed. */
function mayBeDone(error: QrServiceError): boolean {
  if (isTransportError(error)) return !error.unsent && error.kind !== 'redirect';
  if (!(error instanceof ApiError)) return true;
  return error.status >= 500 || error.status === 408 || error.code === 'idempotency_in_progress';
}

/** An unsent attempt doesn't mean that earlier attempts weren't sent. */
function noteSent({ error, isUnsent }: FailedAttempt, state: CallState): void {
  const isTransport = isTransportError(error);
  if (isUnsent !== true && !(isTransport && error.unsent)) state.mayBeSent = true;
  if (isTransport && state.mayBeSent) error.unsent = false;
  if (isUnsent !== true && mayBeDone(error)) state.mayBeDone = true;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function anySignal(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return AbortSignal.any([a, b]);
}

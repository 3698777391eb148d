import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors/ApiError.ts';
import { isQrServiceError, isTransportError } from '../errors/guards.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { TransportError } from '../errors/TransportError.ts';
import { readRateLimit, type RateLimit } from '../wire/headers.ts';
import { buildRequest, type Call } from './buildRequest.ts';
import { readOptions, readTimeout, type PlatformClientOptions, type Settings } from './configuration.ts';
import { IdempotencyKey } from './idempotencyKey.ts';
import { RateLimiter, WaitTooLongError } from './RateLimiter.ts';
import { readSuccess, responseError, thrownError, type ApiResponse } from './readResponse.ts';
import { requestFailed } from './requestFailed.ts';
import { decideRetry, isUncounted } from './retry.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Options of one call. */
export interface CallOptions {
  /**
   * Sent as Idempotency-Key (docs/api.md#idempotency); the same key returns the same result in any process. If this
   * process sees the same refusal under the key again, the call continues with a new key that is derived from this
   * one: the refused call created nothing, but the service replays its refusal for a day. Default: a new key for each
   * call.
   */
  idempotencyKey?: string;
  /** Cancels the call at once, even while it waits. Default: none. */
  signal?: AbortSignal;
  /** Time limit of one attempt, in milliseconds. Default: the client's. */
  timeoutMs?: number;
  /** Time limit of the whole call, including all attempts and waits, in milliseconds. Default: the client's. */
  totalTimeoutMs?: number;
}

/** What all attempts of a call share. */
interface CallState {
  path: string;
  signal: AbortSignal | undefined;
  /** What is left for attempts and the waits between them, in milliseconds. */
  budgetLeftMs: number;
  /** What is left for waits that the service asks for, in milliseconds. */
  rateLimitLeftMs: number;
  /** Whether an attempt may have reached the service. */
  mayBeSent: boolean;
  /** Whether the service may have carried out an attempt that failed. */
  mayBeDone: boolean;
}

/** Sends calls: builds the request, with an Idempotency-Key for a POST, and retries it at the service's pace. */
export class RequestExecutor {
  readonly #settings: Settings;
  readonly #rateLimiter: RateLimiter | undefined;
  /** The service's rate limit as it last reported it. */
  rateLimit: RateLimit | undefined;

  /** @throws QrServiceError `invalid_input` for invalid options */
  constructor(options: PlatformClientOptions) {
    this.#settings = readOptions(options);
    const { now, sleep, retry } = this.#settings;
    if (sleep !== undefined)
      this.#rateLimiter = new RateLimiter({ now, sleep, maxWaitMs: retry.rateLimitMs });
  }

  /**
   * Sends a call, and retries it if that is safe and may succeed.
   * @param read reads the response of a success; for a write, its errors say that it may have been carried out
   * @throws ApiError if the service responds with an error
   * @throws TransportError if there is no usable response
   */
  async send<Result>(
    call: Call,
    options: CallOptions = {},
    read: (response: ApiResponse) => Result,
  ): Promise<Result> {
    const { account, retry } = this.#settings;
    const { totalTimeoutMs = this.#settings.totalTimeoutMs } = options;
    const request = buildRequest(call, this.#settings, this.withDeadline(options));
    const state: CallState = {
      path: call.path,
      signal: request.signal,
      budgetLeftMs: Math.min(retry.budgetMs, totalTimeoutMs),
      rateLimitLeftMs: Math.min(retry.rateLimitMs, totalTimeoutMs),
      mayBeSent: false,
      mayBeDone: false,
    };
    if (call.method !== 'POST') return read(await this.#sendWithRetries(request, state));
    const key = new IdempotencyKey(options.idempotencyKey ?? randomUUID(), account);
    for (;;) {
      const idempotencyKey = key.current;
      const headers = { ...request.headers, 'Idempotency-Key': idempotencyKey };
      try {
        const response = await this.#sendWithRetries({ ...request, headers }, state);
        state.mayBeDone = true;
        return read(response);
      } catch (error) {
        noteWrite(error, call, state.mayBeDone, idempotencyKey);
        if (!key.advanceAfter(error) || state.budgetLeftMs <= 0) throw error;
      }
    }
  }

  /** For a call of several requests: its total time limit becomes a signal that they share. */
  withDeadline(options: CallOptions = {}): CallOptions {
    const { totalTimeoutMs = this.#settings.totalTimeoutMs, signal } = options;
    if (totalTimeoutMs === Infinity) return options;
    const deadline = AbortSignal.timeout(Math.ceil(readTimeout(totalTimeoutMs, 'totalTimeoutMs')));
    return { ...options, signal: signal ? AbortSignal.any([signal, deadline]) : deadline };
  }

  /** Sends a request until it succeeds, can't be retried, or the call has used up its time. */
  async #sendWithRetries(request: TransportRequest, state: CallState): Promise<ApiResponse> {
    const { retry, sleep } = this.#settings;
    for (let attempt = 1, uncounted = 0; ; attempt++) {
      await this.#waitForTurn(request.method, state);
      const { result, response } = await this.#attempt(request, state);
      if (!('error' in result)) {
        this.#rateLimiter?.release(response);
        return result;
      }
      const { error } = result;
      if (isUncounted(error)) uncounted += 1;
      const progress = { attempt, uncounted, maxAttempts: retry.maxAttempts, random: Math.random() };
      const { shouldRetry, waitMs, isAnnounced } = decideRetry({ error, ...progress, ...state });
      // A service that will be back much later may be back for others earlier, while its rate limit concerns all calls.
      const isForAll = isAnnounced && (isUncounted(error) || waitMs <= retry.rateLimitMs);
      this.#rateLimiter?.release(response && { ...response, refusedMs: isForAll ? waitMs : undefined });
      noteSent(error, state, response?.status);
      if (state.signal?.aborted === true) throw canceled(state.signal);
      if (!shouldRetry || sleep === undefined) throw error;
      if (isAnnounced) state.rateLimitLeftMs -= waitMs;
      else await this.#backOff(sleep(waitMs, state.signal), waitMs, error, state);
    }
  }

  /** @throws ApiError if the rate limit lasts too long */
  async #waitForTurn(method: Call['method'], { path, signal, mayBeSent }: CallState): Promise<void> {
    try {
      signal?.throwIfAborted();
      const turn = this.#rateLimiter?.acquire(signal);
      if (turn !== undefined) await turn;
    } catch (reason) {
      if (!(reason instanceof WaitTooLongError)) throw canceled(signal, !mayBeSent);
      const { message, retryAfterMs } = reason;
      const init = { status: 429, code: 'rate_limited', retryable: true };
      throw new ApiError({ ...init, message, retryAfterMs, method, path });
    }
  }

  /** Waits before the next attempt. */
  async #backOff(sleeping: Promise<void>, waitMs: number, error: QrServiceError, state: CallState) {
    const startedAt = this.#settings.now();
    try {
      await sleeping;
    } catch (cause) {
      if (state.signal?.aborted === true) throw canceled(state.signal);
      // The platform has no time to wait now, but may retry later: the service's error says when.
      if (error instanceof ApiError && error.retryAfterMs !== undefined) throw error;
      throw new TransportError('The service is too slow right now.', { code: 'deadline', cause });
    }
    state.budgetLeftMs -= Math.max(waitMs, this.#settings.now() - startedAt);
    if (state.budgetLeftMs <= 0) throw error;
  }

  /** Returns the result, and the response's status and what it says about the rate limit. */
  async #attempt(request: TransportRequest, state: CallState) {
    const { transport, now, mask, retry } = this.#settings;
    const sentAt = now();
    const timeoutMs = Math.min(request.timeoutMs, Math.ceil(state.budgetLeftMs));
    let response: TransportResponse | undefined;
    let rateLimit: RateLimit | undefined;
    try {
      response = await transport({ ...request, timeoutMs });
      rateLimit = readRateLimit(response.headers, now());
      this.rateLimit = rateLimit ?? this.rateLimit;
      const isSuccess = response.status >= 200 && response.status < 300;
      const context = { path: state.path, rateLimit: this.rateLimit, now: now(), mask };
      const result = isSuccess
        ? readSuccess(request, response)
        : { error: responseError(request, response, context) };
      return { result, response: { status: response.status, rateLimit } };
    } catch (thrown) {
      if (response !== undefined) {
        const { status } = response;
        const message = `The response with the status ${status} could not be read.`;
        const error = new QrServiceError(message, { code: 'unreadable_response' });
        return { result: { error }, response: { status, rateLimit } };
      }
      const error = thrownError(thrown, mask);
      // The last attempt's own limit is only the rest of the call's.
      const isLast = error.code === 'timeout' && timeoutMs < request.timeoutMs;
      const call = { ...request, timeoutMs: retry.budgetMs };
      return { result: { error: isLast ? requestFailed(call, { timedOut: true }) : error } };
    } finally {
      state.budgetLeftMs -= Math.max(0, now() - sentAt);
    }
  }
}

/** The error for a call that its signal or its time limit ended. */
export function canceled(signal: AbortSignal | undefined, unsent = false): TransportError {
  const reason = signal?.reason as Partial<Error> | undefined;
  return reason?.name === 'TimeoutError'
    ? new TransportError('The call did not complete within its time limit.', { code: 'timeout', unsent })
    : new TransportError('The request was canceled.', { code: 'aborted', unsent });
}

/** Completes a write's error with its key and with what may have been carried out: nothing else sets these properties. */
export function noteWrite(
  error: unknown,
  { path, creates }: Call,
  mayBeDone: boolean,
  idempotencyKey?: string,
): void {
  if (!isQrServiceError(error)) return;
  if (idempotencyKey !== undefined) error.idempotencyKey = idempotencyKey;
  if (!mayBeDone) return;
  error.isUnconfirmed = true;
  if (creates !== undefined) error.unconfirmedCode = creates;
  else if (path.startsWith('/qr/')) error.isUnconfirmedChange = true;
}

/** Notes what a failed attempt may have done. An unsent one doesn't mean that earlier ones weren't sent. */
function noteSent(error: QrServiceError, state: CallState, status = 0): void {
  const isUnsent = isTransportError(error) && error.unsent;
  const isRefused =
    status >= 400 && status < 500 && status !== 408 && error.code !== 'idempotency_in_progress';
  if (!isUnsent && !isRefused && error.code !== 'redirect') state.mayBeDone = true;
  if (!isUnsent) state.mayBeSent = true;
  else if (state.mayBeSent) error.unsent = false;
}

import { ApiError } from '../errors/ApiError.ts';
import { isQrServiceError } from '../errors/guards.ts';
import type { QrServiceError } from '../errors/QrServiceError.ts';
import { sentence, showText } from '../errors/sentences.ts';
import { TransportError } from '../errors/TransportError.ts';
import { omitUndefined } from '../json/json.ts';
import { type RateLimit, readDelay } from '../wire/rateLimit.ts';
import { readErrorBody } from '../wire/errorBody.ts';
import { readHeader } from '../wire/headers.ts';
import { WaitTooLongError } from './RateLimiter.ts';
import { readFailure } from './readResponse.ts';
import { isRetryable } from './retry.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** A shorter key isn't a secret, and may be part of any word. */
const MIN_SECRET_LENGTH = 8;

/** Creates the errors of calls. None contains the API key, even if the service or the transport repeats it. */
export class CallErrors {
  readonly #apiKey: string;
  readonly #now: () => number;

  constructor(apiKey: string, now: () => number) {
    this.#apiKey = apiKey;
    this.#now = now;
  }

  /** For a response that isn't a success. `rateLimit` is the last one that the service reported. */
  ofResponse(
    request: TransportRequest,
    response: TransportResponse,
    { path, rateLimit }: { path: string; rateLimit: RateLimit | undefined },
  ): ApiError | TransportError {
    const { status, headers, body } = response;
    if (status < 400) return this.#ofRedirect(request, response);
    const failure = readErrorBody({ status, headers, body: readFailure(body) }, (value) =>
      this.redact(value),
    );
    const retryAfter = readDelay(readHeader(headers, 'Retry-After'), this.#now());
    // Only a used-up window says when there is room, and only for the service's own rate limit.
    const window = status === 429 && failure.intermediary === undefined ? rateLimit : undefined;
    const untilReset = window?.remaining === 0 ? window.resetAt - this.#now() : 0;
    return new ApiError({
      ...failure,
      status,
      method: request.method,
      path,
      retryable: isRetryable({ status, code: failure.code }),
      ...omitUndefined({ retryAfterMs: retryAfter ?? (untilReset > 0 ? untilReset : undefined) }),
    });
  }

  /** For what a transport threw. */
  ofTransport(thrown: unknown): QrServiceError {
    if (isQrServiceError(thrown)) return thrown;
    // A transport's own error may contain the whole request, including the key: keep only its message.
    const { message } = this.redact({
      message: thrown instanceof Error ? thrown.message : 'unknown reason',
    });
    return new TransportError('The service could not be reached.', {
      kind: 'network',
      detail: sentence(message),
    });
  }

  /** Removes the API key, as a response may echo the request. */
  redact<T extends object>(value: T): T {
    const json = JSON.stringify(value);
    const forms = [this.#apiKey, encodeURIComponent(this.#apiKey)];
    if (!forms.some((form) => json.includes(JSON.stringify(form).slice(1, -1)))) return value;
    const mask = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, '[API key]'), text);
    return JSON.parse(json, (_name, part: unknown) => {
      if (typeof part === 'string') return mask(part);
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).map(([name, field]) => [mask(name), field as unknown]));
    }) as T;
  }

  /** The same for a successful response, whose values end up in items, logs and files. */
  redactResult<T extends object>(value: T): T {
    return this.#apiKey.length < MIN_SECRET_LENGTH ? value : this.redact(value);
  }

  #ofRedirect({ url }: TransportRequest, { headers }: TransportResponse): TransportError {
    const location = readHeader(headers, 'Location');
    const host = location !== undefined && URL.canParse(location, url) ? new URL(location, url).host : '';
    // A host is always in lower case.
    const target =
      host === '' || host.includes(this.#apiKey.toLowerCase()) ? '' : ` to ${showText(host, 100)}`;
    return new TransportError(`The request was redirected${target}.`, {
      kind: 'redirect',
      detail: "Redirects aren't followed, so the API key wasn't sent there.",
    });
  }
}

/** The error for a request that the rate limiter didn't admit, with its reason. */
export function notAdmitted(
  reason: unknown,
  { method, path, signal }: { method: string; path: string; signal: AbortSignal | undefined },
): QrServiceError {
  if (!(reason instanceof WaitTooLongError)) return canceled(signal);
  const { message, retryAfterMs } = reason;
  return new ApiError({
    status: 429,
    code: 'rate_limited',
    message,
    retryable: true,
    retryAfterMs,
    method,
    path,
  });
}

/** The error for a call that its signal or its time limit ended. */
export function canceled(signal: AbortSignal | undefined): TransportError {
  const reason = signal?.reason as Partial<Error> | undefined;
  return reason?.name === 'TimeoutError'
    ? new TransportError('The call did not complete within its time limit.', { kind: 'timeout' })
    : new TransportError('The request was canceled.', { kind: 'aborted' });
}

import { ApiError } from '../errors/ApiError.ts';
import { isQrServiceError } from '../errors/guards.ts';
import { type QrServiceError, TransportError } from '../errors/QrServiceError.ts';
import { sentence, showText } from '../errors/sentences.ts';
import { omitUndefined } from '../json/json.ts';
import { readErrorBody } from '../wire/errorBody.ts';
import { readDelay, readHeader, type RateLimit } from '../wire/headers.ts';
import type { Mask } from './configuration.ts';
import { WaitTooLongError } from './RateLimiter.ts';
import { readFailure } from './readResponse.ts';
import { isRetryable } from './retry.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** The error for a response that isn't a success. `rateLimit` is the last one that the service reported. */
export function responseError(
  request: TransportRequest,
  response: TransportResponse,
  context: { path: string; rateLimit: RateLimit | undefined; now: number; mask: Mask },
): ApiError | TransportError {
  const { status, headers, body } = response;
  if (status < 400) return redirected(request, response);
  const { path, rateLimit, now, mask } = context;
  const failure = readErrorBody({ status, headers, body: readFailure(body, mask) });
  const retryAfter = readDelay(readHeader(headers, 'Retry-After'), now);
  // Only a used-up window says when there is room, and only for the service's own rate limit.
  const window = status === 429 && failure.intermediary === undefined ? rateLimit : undefined;
  const untilReset = window?.remaining === 0 && window.resetAt > now ? window.resetAt - now : undefined;
  return new ApiError({
    ...failure,
    status,
    method: request.method,
    path,
    retryable: isRetryable(status, failure.code),
    ...omitUndefined({ retryAfterMs: retryAfter ?? untilReset }),
  });
}

/** The error for what a transport threw. Of a transport's own error, only the message is kept: it may contain the key. */
export function thrownError(thrown: unknown, mask: Mask): QrServiceError {
  if (isQrServiceError(thrown)) return thrown;
  const message = mask(thrown instanceof Error ? thrown.message : 'unknown reason');
  return new TransportError('The service could not be reached.', {
    kind: 'network',
    detail: sentence(message),
  });
}

function redirected({ url }: TransportRequest, { headers }: TransportResponse): TransportError {
  const location = readHeader(headers, 'Location');
  const host = location !== undefined && URL.canParse(location, url) ? new URL(location, url).host : '';
  const target = host === '' ? '' : ` to ${showText(host, 100)}`;
  return new TransportError(`The request was redirected${target}.`, {
    kind: 'redirect',
    detail: "Redirects aren't followed, so the API key wasn't sent there.",
  });
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

import { ApiError } from '../errors/ApiError.ts';
import { FOREIGN } from '../errors/describeApiError.ts';
import { isQrServiceError } from '../errors/guards.ts';
import type { QrServiceError } from '../errors/QrServiceError.ts';
import { sentence, showText, withoutPeriod } from '../errors/sentences.ts';
import { TransportError } from '../errors/TransportError.ts';
import { omitUndefined } from '../json/json.ts';
import { describeIntermediary, readErrorBody } from '../wire/errorBody.ts';
import { readDelay, readHeader, type RateLimit } from '../wire/headers.ts';
import type { Mask } from './configuration.ts';
import { isRetryable } from './retry.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** A successful response. `body` is parsed JSON, or bytes if the call requested them. */
export type ApiResponse = Omit<TransportResponse, 'status'>;

/** A successful response, or why it can't be read. */
export function readSuccess(
  request: TransportRequest,
  { status, headers, body }: TransportResponse,
): ApiResponse | { error: QrServiceError } {
  if (request.responseType === 'bytes') return { headers, body: bodyBytes(body) };
  const { text, json } = readBody(body);
  if (json !== undefined || text.trim() === '') return { headers, body: json };
  // With a truncated or foreign body, it's unknown whether the call was carried out: like a lost response, it may be
  // retried.
  const failed = (message: string, detail = '') => ({
    error: new TransportError(message, { code: 'network', detail }),
  });
  if (/^\s*[[{]/.test(text)) return failed("The response was cut off or isn't valid JSON.");
  const detail = `${withoutPeriod(FOREIGN.fact)} (status ${status}, ${describeIntermediary(headers)}).`;
  return failed(FOREIGN.meaning, detail);
}

/** The error for a response that isn't a success. `rateLimit` is the last one that the service reported. */
export function responseError(
  request: TransportRequest,
  response: TransportResponse,
  context: { path: string; rateLimit: RateLimit | undefined; now: number; mask: Mask },
): ApiError | TransportError {
  const { status, headers } = response;
  if (status < 400) return redirected(request, response);
  const { path, rateLimit, now, mask } = context;
  const { text, json } = readBody(response.body);
  // Serialized anew, as a service may escape the key's characters in another way.
  const body = json === undefined ? mask(text) : parseJson(mask(JSON.stringify(json)));
  const failure = readErrorBody(status, body, headers);
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

function redirected({ url }: TransportRequest, { headers }: TransportResponse): TransportError {
  const location = readHeader(headers, 'Location');
  const host = location !== undefined && URL.canParse(location, url) ? new URL(location, url).host : '';
  const target = host === '' ? '' : ` to ${showText(host, 100)}`;
  return new TransportError(`The request was redirected${target}.`, {
    code: 'redirect',
    detail: "Redirects aren't followed, so the API key wasn't sent there.",
  });
}

/** The error for what a transport threw. Of a transport's own error, only the message is kept: it may contain the key. */
export function thrownError(thrown: unknown, mask: Mask): QrServiceError {
  if (isQrServiceError(thrown)) return thrown;
  const message = mask(thrown instanceof Error ? thrown.message : 'unknown reason');
  return new TransportError('The service could not be reached.', {
    code: 'network',
    detail: sentence(message),
  });
}

/** A body as text, and as JSON if it is: a transport may have parsed it. */
function readBody(body: unknown): { text: string; json: unknown } {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : (body ?? '');
  return typeof text === 'string' ? { text, json: parseJson(text) } : { text: '', json: text };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A body as bytes in a buffer of their own: Node.js keeps small ones together in one. */
function bodyBytes(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array)) return new TextEncoder().encode(readBody(body).text);
  return body.byteLength === body.buffer.byteLength ? body : new Uint8Array(body);
}

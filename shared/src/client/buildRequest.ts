import { invalidInput } from '../errors/QrServiceError.ts';
import { readTimeout, type Settings } from './configuration.ts';
import type { CallOptions } from './RequestExecutor.ts';
import type { TransportRequest } from './transport.ts';

/** A call before it becomes a request. */
export interface Call {
  method: TransportRequest['method'];
  /** Below the API's base URL. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** Name of the QR code that it creates. */
  creates?: string;
  responseType?: TransportRequest['responseType'];
}

const ACCEPT = { json: 'application/json', bytes: '*/*' } as const;

/** Builds a call's request, with what all requests of the client share. */
export function buildRequest(
  { method, path, query, body, responseType = 'json' }: Call,
  { baseUrl, headers, timeoutMs: usualMs }: Settings,
  { signal, timeoutMs = usualMs }: CallOptions,
): TransportRequest {
  return {
    method,
    url: baseUrl + path + queryString(query),
    headers: {
      ...headers,
      Accept: ACCEPT[responseType],
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    responseType,
    timeoutMs: readTimeout(timeoutMs, 'timeoutMs'),
    ...(signal !== undefined && { signal }),
  };
}

function queryString(query: Call['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

/** Encodes an ID as one segment of a path, or throws `invalid_input` if it is empty or would change the path. */
export function pathSegment(id: string, what: string): string {
  const advice = 'Use the ID that the service returned.';
  if (typeof id !== 'string' || id.trim() === '') throw invalidInput(`The ${what} is empty.`, advice);
  // A URL parser resolves dot segments even when they are escaped.
  if (/^(\.|%2e){1,2}$/i.test(id) || !id.isWellFormed()) throw invalidInput(`Invalid ${what}.`, advice);
  return encodeURIComponent(id);
}

import type { WireHeaders } from '../wire/headers.ts';

/** Waits for `ms` milliseconds; rejects early when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** One HTTP request. */
export interface TransportRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Absolute URL, including the query. */
  url: string;
  /** Request headers, including the one with the API key. */
  headers: Record<string, string>;
  /** The request body, as JSON. */
  body?: string;
  /** With `bytes`, the response body must be a Uint8Array, whatever its status. */
  responseType: 'json' | 'bytes';
  signal?: AbortSignal;
  /** Time limit of the request, to the last byte of the response, in milliseconds. */
  timeoutMs: number;
}

/** One HTTP response. */
export interface TransportResponse {
  status: number;
  /** Names in any case. */
  headers: WireHeaders;
  /** Bytes, text or parsed JSON; bytes if the request's `responseType` says so. */
  body: unknown;
}

/**
 * Sends one HTTP request. It never throws for a status, never follows a redirect and never retries; it throws a
 * `TransportError` if the response is missing or cut off. Its `sleep` uses the platform's timers.
 */
export type Transport = ((request: TransportRequest) => Promise<TransportResponse>) & { sleep?: Sleep };

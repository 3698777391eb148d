import type { WireHeaders } from '../wire/headers.ts';

/** Waits for `ms` milliseconds; rejects early when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** One HTTP request. */
export interface TransportRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Absolute, with query. */
  url: string;
  headers: Record<string, string>;
  /** JSON text. */
  body?: string;
  /** `bytes` asks for the answer's body as a Uint8Array, whatever its status. */
  responseType: 'json' | 'bytes';
  signal?: AbortSignal;
  timeoutMs: number;
}

/** One HTTP answer. A JSON body may come as bytes, as text or parsed. */
export interface TransportResponse {
  status: number;
  headers: WireHeaders;
  body: unknown;
}

/**
 * The one seam to the network. It never throws for a status, never follows a redirect, never retries; it
 * throws a `TransportError` when there is no answer. It may bring the platform's own way to wait.
 */
export type Transport = ((request: TransportRequest) => Promise<TransportResponse>) & { sleep?: Sleep };

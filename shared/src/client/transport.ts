import type { WireHeaders } from '../wire/headers.ts';

/** Waits for `ms` milliseconds; rejects early when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** One HTTP request. */
export interface TransportRequest {
  /** HTTP method. */
  method: 'GET' | 'POST' | 'DELETE';
  /** Absolute, with query. */
  url: string;
  /** The key's header among them. */
  headers: Record<string, string>;
  /** JSON text. */
  body?: string;
  /** `bytes` asks for the response's body as a Uint8Array, whatever its status. */
  responseType: 'json' | 'bytes';
  /** Ends the request at once. */
  signal?: AbortSignal;
  /** Milliseconds that the request may take, including the whole response body. */
  timeoutMs: number;
  /** Bytes, once decompressed, that the response's body may have: the transport reads no more (see `readBody`). */
  maxBytes: number;
}

/** One HTTP response. A JSON body may come as bytes, as text or parsed. */
export interface TransportResponse {
  /** HTTP status. */
  status: number;
  /** Names in any case. */
  headers: WireHeaders;
  /** Bytes, text or parsed JSON; bytes where they were asked for. */
  body: unknown;
}

/**
 * The one seam to the network. It never throws for a status, never follows a redirect and never retries; it throws a
 * `TransportError` if there is no response, or one of more than `maxBytes`. It may have the platform's own way to wait.
 */
export type Transport = ((request: TransportRequest) => Promise<TransportResponse>) & { sleep?: Sleep };

import type { WireHeaders } from '@qr-service/core';

/** A request of the probe. */
export interface ProbeRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the API's base URL, without the query. */
  path: string;
  query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON. */
  body?: object;
  /** Idempotency-Key. */
  idempotencyKey?: string;
  /** The header with the key, if it isn't the usual one. */
  auth?: 'authorization' | 'api-key';
  /** A key that isn't the user's own. */
  otherKey?: string;
  /** The body is an image. */
  isImage?: true;
}

/** A request and the response to it. */
export interface Exchange {
  request: ProbeRequest;
  status: number;
  headers: WireHeaders;
  /** Decompressed. */
  bytes: Uint8Array;
  /** The body as text; empty for an image. */
  text: string;
  /** The body as JSON; undefined if it isn't. */
  json: unknown;
  /** By the local clock, in milliseconds since the epoch. */
  sentAt: number;
  receivedAt: number;
}

/** Whether the service did what was requested. */
export function isSuccess({ status }: Pick<Exchange, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** A text as JSON; undefined if it isn't. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

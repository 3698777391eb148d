import type { ErrorCode } from '@qr-service/core';
import type { WireShape } from '@qr-service/core/shape';

/** Which requests a fault applies to. A request must match every given field. */
export interface FaultMatch {
  /** In upper case. */
  method?: string;
  /** Path relative to the API, for example `/qr/*`: `*` matches anything without a slash, `**` matches anything. */
  path?: string;
  /** Name of a query parameter that the request has. */
  query?: string;
}

/** A time in a header, in one of the units that services use. */
export interface FaultDelay {
  unit: Required<WireShape>['reset'];
  /** Milliseconds from now. */
  ms: number;
}

/** The effect of a fault, and which requests it applies to. */
export interface FaultEffect {
  /** Default: every request. */
  match?: FaultMatch;
  /** Respond with this documented error. */
  code?: ErrorCode;
  /** Respond with this status. Default 503 if nothing else is set. */
  status?: number;
  /** Respond with a page of HTML, like a proxy in front of the service. */
  html?: boolean;
  /** The same, with a page of this many bytes; 0 for an empty body. */
  bytes?: number;
  /** Send the body in gzip, or only say so. */
  encoding?: 'gzip' | 'broken gzip';
  /** Retry-After of the error. Default: one second for status 429, none otherwise. */
  retryAfter?: FaultDelay;
  /** X-RateLimit-Reset. Default: the end of the rate-limit window. */
  reset?: FaultDelay;
  /** Cut the connection before or after the work is done. */
  drop?: 'before' | 'after';
  /** Send half of the body and cut the connection. `length` announces the full length, `chunked` never ends. */
  cut?: 'length' | 'chunked';
  /** Wait this many milliseconds before the work starts. */
  delayMs?: number;
}

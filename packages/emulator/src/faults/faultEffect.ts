import type { ErrorCode } from '@qr-service/core';
import type { WireShape } from '../config/wireShape.ts';

/** Which requests a fault is for: those that are like every part that is given. */
export interface FaultMatch {
  /** In capitals. */
  method?: string;
  /** Path under the API's own, e.g. `/qr/*`: `*` stands for anything without a slash, `**` for anything at all. */
  path?: string;
  /** Name of a query parameter that the request has. */
  query?: string;
}

/** A moment in a header, in one of the units that services use. */
export interface FaultDelay {
  unit: Required<WireShape>['reset'];
  /** Milliseconds from now. */
  ms: number;
}

/** What a fault does, and to which requests. */
export interface FaultEffect {
  /** Default: every request. */
  match?: FaultMatch;
  /** Answer with this documented error. */
  code?: ErrorCode;
  /** Answer with this status. Default 503 where nothing else is set. */
  status?: number;
  /** Answer with a page of HTML, as a proxy in front of the service does. */
  html?: boolean;
  /** Retry-After of the error. Default: one second where the status is 429, none elsewhere. */
  retryAfter?: FaultDelay;
  /** X-RateLimit-Reset. Default: when the window of the rate limit ends. */
  reset?: FaultDelay;
  /** Cut the connection before or after the work is done. */
  drop?: 'before' | 'after';
  /** Send half of the answer's body and cut the connection: `length` announces the whole, `chunked` never ends. */
  cut?: 'length' | 'chunked';
  /** Take this many milliseconds before the work is begun. */
  delayMs?: number;
}

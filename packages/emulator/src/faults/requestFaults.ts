import { API_PATH, ERROR_CODES } from '@qr-service/core/connector';
import type { ErrorCode } from '@qr-service/core';
import type { z } from 'zod';
import type { FieldCheck } from '../validation/checks.ts';
import { field, fields, integer, oneOf, readInput, text } from '../validation/input.ts';
import { createFaultList, TIMES } from './faultList.ts';

const MAX_DELAY_MS = 24 * 60 * 60 * 1000;
const isAnyText: FieldCheck = (value) => (typeof value === 'string' ? undefined : 'must be a string');

const MATCH = fields({
  /** In upper case. */
  method: text(20).optional(),
  /** Path relative to the API, for example `/qr/*`: `*` matches anything without a slash, `**` matches anything. */
  path: text(500).optional(),
  /** Name of a query parameter that the request has. */
  query: text(100).optional(),
});

/** A request fault, for checking external input. */
export const FAULT = fields({
  /** Default: every request. */
  match: MATCH.optional(),
  /** Respond with this documented error. */
  code: oneOf(Object.keys(ERROR_CODES) as ErrorCode[]).optional(),
  /** Respond with this status. */
  status: integer(200, 599).optional(),
  /** Respond with this text as HTML, like a proxy in front of the service. */
  body: field<string>(isAnyText).optional(),
  /** Seconds in the Retry-After of the error. Default: 1 for status 429, none otherwise. */
  retryAfter: integer(0, 1e9).optional(),
  /** Cut the connection before or after the work is done. */
  drop: oneOf(['before', 'after']).optional(),
  /** Wait this many milliseconds before the work starts. */
  delayMs: integer(0, MAX_DELAY_MS).optional(),
  /** Number of requests, or Infinity (in JSON null) until it is cleared. Default 1. */
  times: TIMES.optional(),
});

/** A fault to inject into API requests. Without any effect, the service responds with 503. */
export type Fault = z.infer<typeof FAULT>;

/** Which requests a fault applies to. A request must match every given field. */
export type FaultMatch = z.infer<typeof MATCH>;

/** The request that a fault is matched against. */
interface FaultTarget {
  method: string;
  /** Full path, without the query. */
  path: string;
  hasQuery: (name: string) => boolean;
}

/** Active request faults. */
export type RequestFaults = ReturnType<typeof createRequestFaults>;

/** Creates an empty list of request faults. */
export function createRequestFaults() {
  const list = createFaultList<Fault>();
  return {
    ...list,
    /** @throws InputError for an invalid fault */
    add: (fault: Fault) => list.add(readInput(FAULT, fault)),
    /** Uses up and returns the fault for this request, if any. */
    take: (target: FaultTarget) => list.take(({ match = {} }) => matches(match, target)),
  };
}

/** A short description of a fault. */
export function describeFault({ code, status, body, drop, delayMs }: Fault): string {
  const parts = [
    code ?? (status === undefined ? undefined : `status ${status}`),
    body === undefined ? undefined : 'a body of its own',
    drop === undefined ? undefined : `connection cut ${drop} processing`,
    delayMs === undefined ? undefined : `delayed by ${delayMs} ms`,
  ].filter((part) => part !== undefined);
  return parts.join(', ') || 'status 503';
}

function matches({ method, path, query }: FaultMatch, target: FaultTarget): boolean {
  if (query !== undefined && !target.hasQuery(query)) return false;
  if (method !== undefined && method.toUpperCase() !== target.method) return false;
  return path === undefined || pathPattern(path).test(target.path);
}

function pathPattern(path: string): RegExp {
  const whole = path.startsWith(API_PATH) ? path : API_PATH + path;
  const parts = whole.split(/(\*\*?)/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

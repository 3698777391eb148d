import { API_PATH, ERROR_CODES } from '@qr-service/core/connector';
import type { ErrorCode } from '@qr-service/core';
import { isInteger, isOneOf, isText, type FieldCheck } from '../validation/checks.ts';
import { field, fields, readInput } from '../validation/input.ts';
import { createFaultList, isTimes, type FaultList } from './faultList.ts';

/** Which requests a fault applies to. A request must match every given field. */
export interface FaultMatch {
  /** In upper case. */
  method?: string;
  /** Path relative to the API, for example `/qr/*`: `*` matches anything without a slash, `**` matches anything. */
  path?: string;
  /** Name of a query parameter that the request has. */
  query?: string;
}

/** A fault to inject into API requests. Without any effect, the service responds with 503. */
export interface Fault {
  /** Default: every request. */
  match?: FaultMatch;
  /** Respond with this documented error. */
  code?: ErrorCode;
  /** Respond with this status. */
  status?: number;
  /** Respond with this text as HTML, like a proxy in front of the service. */
  body?: string;
  /** Seconds in the Retry-After of the error. Default: 1 for status 429, none otherwise. */
  retryAfter?: number;
  /** Cut the connection before or after the work is done. */
  drop?: 'before' | 'after';
  /** Wait this many milliseconds before the work starts. */
  delayMs?: number;
  /** Number of requests, or Infinity (in JSON null) until it is cleared. Default 1. */
  times?: number | null;
}

/** The request that a fault is matched against. */
interface FaultTarget {
  method: string;
  /** Full path, without the query. */
  path: string;
  hasQuery: (name: string) => boolean;
}

/** Active request faults. */
export type RequestFaults = Pick<FaultList<Fault>, 'clear' | 'save'> & {
  /** @throws InputError for an invalid fault */
  add(fault: Fault): void;
  /** Uses up and returns the fault for this request, if any. */
  take(target: FaultTarget): Fault | undefined;
};

const MAX_DELAY_MS = 24 * 60 * 60 * 1000;
const isAnyText: FieldCheck = (value) => (typeof value === 'string' ? undefined : 'must be a string');

/** A request fault, for checking external input. */
export const FAULT = fields({
  match: fields({
    method: field(isText(20)).optional(),
    path: field(isText(500)).optional(),
    query: field(isText(100)).optional(),
  }).optional(),
  code: field(isOneOf(Object.keys(ERROR_CODES))).optional(),
  status: field(isInteger(200, 599)).optional(),
  body: field(isAnyText).optional(),
  retryAfter: field(isInteger(0, 1e9)).optional(),
  drop: field(isOneOf(['before', 'after'])).optional(),
  delayMs: field(isInteger(0, MAX_DELAY_MS)).optional(),
  times: field(isTimes).optional(),
});

/** Creates an empty list of request faults. */
export function createRequestFaults(): RequestFaults {
  const list = createFaultList<Fault>();
  return {
    ...list,
    add: (fault) => list.add(readInput(FAULT, fault) as Fault),
    take: (target) => list.take(({ match = {} }) => matches(match, target)),
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

import { API_PATH, ERROR_CODES, type ErrorCode } from '@qr-service/core';
import { createFaultList, type FaultList } from './faultList.ts';
import { ApiFailure } from '../http/apiFailure.ts';
import { FAULT_PRESETS, type FaultPreset } from './requestFaultPresets.ts';
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

/** What goes wrong with API requests. */
export interface Fault {
  /** What to begin with; everything else that is given here goes before what the preset says. */
  preset?: FaultPreset;
  /** Default: every request. */
  match?: FaultMatch;
  /** How many requests; Infinity until it is cleared. Default 1. */
  times?: number;
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

/** What a fault is matched with. */
export interface FaultTarget {
  method: string;
  /** Whole path, without the query. */
  path: string;
  hasQuery: (name: string) => boolean;
}

/** Faults that wait for their requests. */
export type Faults = Pick<FaultList<Fault>, 'all' | 'clear' | 'save'> & {
  /** @throws TypeError for a preset that there is not, or times that are no count */
  add(fault: Fault): number;
  /** The fault for this request, if any; asks for what it looks at only where a fault is set. */
  take(target: () => FaultTarget): Fault | undefined;
};

export function createFaults(): Faults {
  const list = createFaultList<Fault>();
  return {
    ...list,
    add: (fault) => list.add(withPreset(fault)),
    take(target) {
      let looked: FaultTarget | undefined;
      return list.take(({ match }) => match === undefined || matches(match, (looked ??= target())));
    },
  };
}

/** What went wrong, in a few words. */
export function describeFault({ preset, code, status, drop, cut, delayMs }: Fault): string {
  if (preset !== undefined) return preset;
  const said = [
    code ?? (status === undefined ? undefined : `status ${status}`),
    drop === undefined ? undefined : `connection cut ${drop} the work`,
    cut === undefined ? undefined : 'body cut short',
    delayMs === undefined ? undefined : `${delayMs} ms late`,
  ].filter((part) => part !== undefined);
  return said.join(', ') || 'status 503';
}

/** The error that a fault answers with, if any. */
export function faultFailure(fault: Fault): ApiFailure | undefined {
  const { code, status, drop, delayMs, cut, reset } = fault;
  if (code !== undefined)
    return new ApiFailure(code, status ?? ERROR_CODES[code].status, ERROR_CODES[code].meaning, DETAILS[code]);
  const isOther = [drop, delayMs, cut, reset].some((part) => part !== undefined);
  if (status === undefined && isOther && fault.html !== true) return undefined;
  return new ApiFailure('service_unavailable', status ?? 503, 'The service is not available at the moment.');
}

/** `details` of the codes for which the API text shows them ("Authentication", 7). */
const DETAILS: { readonly [Code in ErrorCode]?: Record<string, unknown> } = {
  insufficient_scope: { required: 'qr:write', granted: [] },
};

function withPreset(fault: Fault): Fault {
  if (fault.preset === undefined) return fault;
  if (!Object.hasOwn(FAULT_PRESETS, fault.preset))
    throw new TypeError(
      `There is no fault ${fault.preset}. Faults are: ${Object.keys(FAULT_PRESETS).join(', ')}.`,
    );
  return { ...FAULT_PRESETS[fault.preset].fault, ...fault };
}

function matches({ method, path, query }: FaultMatch, target: FaultTarget): boolean {
  if (method !== undefined && method.toUpperCase() !== target.method) return false;
  if (query !== undefined && !target.hasQuery(query)) return false;
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

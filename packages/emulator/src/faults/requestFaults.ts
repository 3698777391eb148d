import { API_PATH } from '@qr-service/core/connector';
import type { FaultEffect, FaultMatch } from './faultEffect.ts';
import { createFaultList, type FaultList } from './faultList.ts';
import { FAULT_PRESETS, type FaultPreset } from './requestFaultPresets.ts';

/** A fault to inject into API requests. Fields given here override those of the preset. */
export interface Fault extends FaultEffect {
  /** A named fault to start from. */
  preset?: FaultPreset;
  /** Number of requests, or Infinity until it is cleared. Default 1. */
  times?: number;
}

/** The request that a fault is matched against. */
export interface FaultTarget {
  method: string;
  /** Full path, without the query. */
  path: string;
  hasQuery: (name: string) => boolean;
}

/** Active request faults. */
export type RequestFaults = Pick<FaultList<Fault>, 'all' | 'clear' | 'save'> & {
  /** @throws TypeError for an unknown preset, or an invalid `times` */
  add(fault: Fault): number;
  /** Uses up and returns the fault for this request, if any. `target` is called only if a fault needs it. */
  take(target: () => FaultTarget): Fault | undefined;
};

export function createRequestFaults(): RequestFaults {
  const list = createFaultList<Fault>();
  return {
    ...list,
    add: (fault) => list.add(withPreset(fault)),
    take(target) {
      let inspected: FaultTarget | undefined;
      return list.take(({ match }) => match === undefined || matches(match, (inspected ??= target())));
    },
  };
}

/** A short description of a fault. */
export function describeFault({ preset, code, status, drop, cut, encoding, delayMs }: Fault): string {
  if (preset !== undefined) return preset;
  const parts = [
    code ?? (status === undefined ? undefined : `status ${status}`),
    drop === undefined ? undefined : `connection cut ${drop} processing`,
    cut === undefined ? undefined : 'body cut short',
    encoding === undefined ? undefined : `body in ${encoding}`,
    delayMs === undefined ? undefined : `delayed by ${delayMs} ms`,
  ].filter((part) => part !== undefined);
  return parts.join(', ') || 'status 503';
}

function withPreset(fault: Fault): Fault {
  if (fault.preset === undefined) return fault;
  if (!Object.hasOwn(FAULT_PRESETS, fault.preset))
    throw new TypeError(
      `Unknown fault preset ${fault.preset}. Use one of: ${Object.keys(FAULT_PRESETS).join(', ')}.`,
    );
  return { ...FAULT_PRESETS[fault.preset].fault, ...fault };
}

function matches({ query, ...match }: FaultMatch, target: FaultTarget): boolean {
  if (query !== undefined && !target.hasQuery(query)) return false;
  return matchesRequest(match, target);
}

/** Whether a request has a method and a path. */
export function matchesRequest(
  { method, path }: Pick<FaultMatch, 'method' | 'path'>,
  target: Pick<FaultTarget, 'method' | 'path'>,
): boolean {
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

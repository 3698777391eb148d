import { API_PATH } from '@qr-service/core/connector';
import { DELIVERY_FAULT, FAULT, type DeliveryFault, type Fault, type FaultMatch } from '../config/faults.ts';
import { readInput } from '../validation/input.ts';
import type { Database } from './state.ts';

/** A fault, and how many more times it applies. */
export interface ActiveFault<Fault> {
  fault: Fault;
  left: number;
}

/**
 * Operations on a list of faults. Those with a limited number of times apply before those that last until cleared.
 * @param current returns the list
 */
function faultList<Fault extends { times?: number | null | undefined }>(current: () => ActiveFault<Fault>[]) {
  return {
    add(fault: Fault): void {
      const list = current();
      const left = fault.times === null ? Infinity : (fault.times ?? 1);
      const lasting = list.findIndex((active) => active.left === Infinity);
      const place = left === Infinity || lasting === -1 ? list.length : lasting;
      list.splice(place, 0, { fault, left });
    },
    /** Uses up and returns the first fault that applies. */
    take(applies: (fault: Fault) => boolean): Fault | undefined {
      const list = current();
      const next = list.find(({ fault }) => applies(fault));
      if (next === undefined) return undefined;
      next.left -= 1;
      if (next.left === 0) list.splice(list.indexOf(next), 1);
      return next.fault;
    },
    clear(): void {
      current().length = 0;
    },
  };
}

/** Active delivery faults. */
export type DeliveryFaults = ReturnType<typeof deliveryFaultsOf>;

/** @throws InputError from `add`, for an unknown kind or an invalid `times` */
export function deliveryFaultsOf(database: Database) {
  const list = faultList<DeliveryFault>(() => database.session.deliveryFaults);
  return { ...list, add: (fault: DeliveryFault) => list.add(readInput(DELIVERY_FAULT, fault)) };
}

/** The request that a fault is matched against. */
export interface FaultTarget {
  method: string;
  /** Full path, without the query. */
  path: string;
  hasQuery: (name: string) => boolean;
}

/** Active request faults. */
export function requestFaultsOf(database: Database) {
  const list = faultList<Fault>(() => database.session.requestFaults);
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

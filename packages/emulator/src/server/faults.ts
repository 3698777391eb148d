import { ERROR_CODES, type ErrorCode } from '@qr-service/core';
import { ApiFailure } from './apiFailure.ts';

/** What goes wrong with the next API requests. */
export interface Fault {
  /** How many requests. Default 1. */
  times?: number;
  /** Answer with this documented error. */
  code?: ErrorCode;
  /** Answer with this status. Default 503 where nothing else is set. */
  status?: number;
  /** Cut the connection before or after the work is done. */
  drop?: 'before' | 'after';
  /** Take this long before the work is begun. */
  delayMs?: number;
}

/** Faults that wait for their requests. */
export interface Faults {
  add(fault: Fault): void;
  take(): Fault | undefined;
}

export function createFaults(): Faults {
  const waiting: { fault: Fault; left: number }[] = [];
  return {
    add: (fault) => void waiting.push({ fault, left: fault.times ?? 1 }),
    take() {
      const next = waiting[0];
      if (next === undefined) return undefined;
      next.left -= 1;
      if (next.left <= 0) waiting.shift();
      return next.fault;
    },
  };
}

/** The error that a fault answers with, if any. */
export function faultFailure({ code, status, drop, delayMs }: Fault): ApiFailure | undefined {
  if (code !== undefined)
    return new ApiFailure(code, status ?? ERROR_CODES[code].status, ERROR_CODES[code].meaning);
  if (status === undefined && (drop !== undefined || delayMs !== undefined)) return undefined;
  return new ApiFailure('service_unavailable', status ?? 503, 'The service is not available at the moment.');
}

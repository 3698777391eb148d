import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { ErrorCode } from '@qr-service/core';
import { ERROR_CODES } from '@qr-service/core/connector';
import type { Context, MiddlewareHandler } from 'hono';
import type { Fault } from '../../config/faults.ts';
import type { EmulatorContext } from '../../control/context.ts';
import { describeFault } from '../../store/faults.ts';
import { sendBody } from '../bodies.ts';
import type { Env } from '../env.ts';
import { ApiFailure, failureBody, noteFailure } from '../failures.ts';

/** `details` of the codes for which they are documented (docs/api.md#errors). */
const DETAILS: { readonly [Code in ErrorCode]?: Record<string, unknown> } = {
  insufficient_scope: { required: 'qr:write', granted: [] },
};

/** Makes the request fail if a fault is set for it. */
export function injectFault({ requestFaults }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    const hasQuery = (name: string) => c.req.query(name) !== undefined;
    const fault = requestFaults.take({ method, path, hasQuery });
    c.set('delayMs', fault?.delayMs ?? 0);
    if (fault === undefined) {
      await next();
      return undefined;
    }
    c.var.notes.fault = describeFault(fault);
    if (fault.drop === 'before') return dropConnection(c);
    const failure = failureOf(fault);
    if (failure === undefined) await next();
    else c.res = await fail(c, failure, fault);
    if (fault.drop === 'after') c.res = dropConnection(c);
    return undefined;
  };
}

/** The error that a fault responds with; undefined if the request is processed as usual. */
function failureOf({ code, status, body, drop, delayMs }: Fault): ApiFailure | undefined {
  if (code !== undefined)
    return new ApiFailure(code, status ?? ERROR_CODES[code].status, ERROR_CODES[code].meaning, DETAILS[code]);
  if (status === undefined && body === undefined && (drop !== undefined || delayMs !== undefined))
    return undefined;
  return new ApiFailure('service_unavailable', status ?? 503, 'The service is not available at the moment.');
}

async function fail(c: Context<Env>, failure: ApiFailure, { body, retryAfter }: Fault): Promise<Response> {
  noteFailure(c, failure);
  const seconds = retryAfter ?? (failure.status === 429 ? 1 : undefined);
  if (seconds !== undefined) c.header('Retry-After', String(seconds));
  await waitForFaultDelay(c);
  if (body !== undefined) return sendBody(c, failure.status, body, 'text/html');
  return sendBody(c, failure.status, failureBody(failure, c.var.requestId));
}

/**
 * Waits for the delay of the request's fault. Call before the work starts. If the state was restored since the request
 * began, cuts the connection, because the work would change the restored state.
 * @throws ApiFailure, which no client receives, when the connection is cut
 */
export async function waitForFaultDelay(c: Context<Env>): Promise<void> {
  const { delayMs, stateSignal: signal } = c.var;
  try {
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false, signal });
    signal.throwIfAborted();
  } catch {
    dropConnection(c);
    throw new ApiFailure('state_restored', 503, 'The state was restored while the request waited.');
  }
}

function dropConnection(c: Context<Env>): Response {
  c.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

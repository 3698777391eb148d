import { gzipSync } from 'node:zlib';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { describeFault, type Fault, type FaultTarget } from '../../../faults/requestFaults.ts';
import type { Env } from '../../env.ts';
import { noteFailure } from '../../noteFailure.ts';
import { failurePage } from '../response/failurePage.ts';
import { resetHeader } from '../response/resetHeader.ts';
import { sendBody, sendResponse } from '../response/sendResponse.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';
import { waitForFaultDelay } from './faultDelay.ts';
import { faultFailure, isPage } from './faultFailure.ts';

/** Makes the request fail if a fault is set for it. */
export function injectFault(
  { requestFaults, now }: EmulatorContext,
  wire: ResponseFormatter,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const fault = requestFaults.take(() => faultTarget(c));
    c.set('delayMs', fault?.delayMs ?? 0);
    if (fault === undefined) {
      await next();
      return undefined;
    }
    c.var.notes.fault = describeFault(fault);
    if (fault.drop === 'before') return dropConnection(c);
    await respond(c, fault, next);
    if (fault.drop === 'after') c.res = dropConnection(c);
    else {
      if (fault.encoding !== undefined) c.res = await encode(c.res, fault.encoding);
      if (fault.cut !== undefined) c.res = await sendHalf(c, fault.cut);
    }
    return undefined;
  };

  /** Responds with the fault's error, or as usual if it has none. */
  async function respond(c: Context<Env>, fault: Fault, next: () => Promise<void>): Promise<void> {
    const { retryAfter, reset } = fault;
    if (reset !== undefined) c.header('X-RateLimit-Reset', formatDelay(reset));
    const failure = faultFailure(fault);
    if (failure === undefined) return next();
    noteFailure(c, failure);
    if (retryAfter !== undefined) c.header('Retry-After', formatDelay(retryAfter));
    else if (failure.status === 429) c.header('Retry-After', '1');
    await waitForFaultDelay(c);
    c.res = isPage(fault)
      ? sendBody(c, failure.status, failurePage(failure.status, fault.bytes) || null)
      : sendResponse(c, wire.failure(failure, c.var.requestId));
  }

  function formatDelay({ unit, ms }: NonNullable<Fault['reset']>): string {
    return resetHeader(unit, now() + ms, now());
  }
}

function faultTarget(c: Context<Env>): FaultTarget {
  return { method: c.req.method, path: c.req.path, hasQuery: (name) => c.req.query(name) !== undefined };
}

function dropConnection(c: Context<Env>): Response {
  c.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** The same response with its body in gzip, or with a header that says so wrongly. */
async function encode(response: Response, how: NonNullable<Fault['encoding']>): Promise<Response> {
  const body = Buffer.from(await response.arrayBuffer());
  if (body.length === 0) return response;
  const headers = new Headers(response.headers);
  headers.set('Content-Encoding', 'gzip');
  return new Response(how === 'gzip' ? gzipSync(body) : body, { status: response.status, headers });
}

/** Sends the headers and the first half of the body, then cuts the connection. */
async function sendHalf(c: Context<Env>, how: NonNullable<Fault['cut']>): Promise<Response> {
  const body = Buffer.from(await c.res.arrayBuffer());
  if (body.length === 0) return dropConnection(c);
  const { outgoing } = c.env;
  const framing = how === 'length' ? { 'Content-Length': body.length } : { 'Transfer-Encoding': 'chunked' };
  outgoing.writeHead(c.res.status, { ...Object.fromEntries(c.res.headers), ...framing });
  await new Promise((resolve) => outgoing.write(body.subarray(0, body.length / 2), resolve));
  return dropConnection(c);
}

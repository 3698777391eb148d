import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { API_PATH } from '@qr-service/core/connector';
import type { MiddlewareHandler } from 'hono';
import type { RewriteResponse } from '../../config/options.ts';
import type { EmulatorContext } from '../../control/context.ts';
import { BODILESS } from '../bodies.ts';
import type { Env } from '../env.ts';

/** Lets the option `rewriteResponse` change each response. */
export function rewriteResponses({ rewriteResponse }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    const { socket } = c.env.incoming;
    if (rewriteResponse === undefined || socket.destroyed) return;
    const { pathname, searchParams: query } = new URL(c.req.url);
    const bytes = Buffer.from(await c.res.arrayBuffer());
    const { status, headers } = c.res;
    const draft = { status, headers: Object.fromEntries(headers), json: parse(bytes), bytes };
    const body = c.var.notes.requestBody ?? '';
    const request = { method: c.req.method, path: pathname.slice(API_PATH.length), query, body };
    const changed = rewriteResponse(draft, request) ?? draft;
    if (c.var.notes.responseBody !== undefined && changed.json !== undefined)
      c.var.notes.responseBody = JSON.stringify(changed.json);
    if (changed.status === 0) socket.destroy();
    // Otherwise Hono would keep the headers of the response that this one replaces.
    c.res = undefined;
    c.res = responseOf(changed);
  };

  function responseOf({ status, headers, json, bytes }: NonNullable<ReturnType<RewriteResponse>>): Response {
    if (status === 0) return RESPONSE_ALREADY_SENT;
    const { 'content-length': _length, ...kept } = headers;
    const body = json === undefined ? bytes : JSON.stringify(json);
    return new Response(BODILESS.includes(status) ? null : body, { status, headers: kept });
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

import type { FixedResponse } from '@qr-service/core/shape';
import type { MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { matchesRequest } from '../../../faults/requestFaults.ts';
import type { Env } from '../../env.ts';

/** Headers that depend on the connection or on the clock, so that they can't be repeated. */
const OWN_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

/**
 * Responds with the response that the service's shape has for a request, if any: after the request's work if that succeeds,
 * or, if the response is an error, instead of the work.
 */
export function repeatFixedResponse({ fixed }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    const response = fixed.responses.find(
      ({ query = {}, ...each }) =>
        matchesRequest(each, { method, path }) &&
        Object.entries(query).every(([name, value]) => matchesValue(value, c.req.query(name))),
    );
    if (response === undefined || response.status < 400) await next();
    if (response === undefined || (response.status < 400 && !c.res.ok)) return;
    const id = /"id":"([^"]*)"/.exec(c.var.notes.responseBody ?? '')?.[1] ?? 'id';
    const body = [204, 205, 304].includes(response.status) ? null : response.body.replaceAll('{id}', id);
    c.var.notes.responseBody = body;
    const headers = withoutContent(c.res.headers);
    for (const [name, value] of sentHeaders(response)) headers.set(name, value);
    // Otherwise Hono would keep the headers of the response that this one replaces.
    c.res = undefined;
    c.res = new Response(body, { status: response.status, headers });
  };
}

const matchesValue = (wanted: string, sent: string | undefined) =>
  sent !== undefined && (wanted === '*' || wanted === sent);

/** Leaves out the query parameters that the service ignores. */
export function ignoreParameters({ fixed }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    const ignored = Object.entries(fixed.ignoredParameters).flatMap(([pattern, names]) =>
      matchesRequest({ path: pattern }, { method, path }) ? names : [],
    );
    const query = c.req.query.bind(c.req);
    const kept = (name: string) => (ignored.includes(name) ? undefined : query(name));
    if (ignored.length > 0) c.req.query = kept as typeof c.req.query;
    await next();
  };
}

/** The headers that every response has, for example those of the rate limit. */
function withoutContent(all: Headers): Headers {
  return new Headers([...all].filter(([name]) => !name.startsWith('content-')));
}

function sentHeaders({ headers = {} }: FixedResponse): [string, string][] {
  return Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
}

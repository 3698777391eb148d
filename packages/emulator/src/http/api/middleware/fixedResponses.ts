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

/** Does the request's work, but responds with the response that the service's shape has for it, if any. */
export function repeatFixedResponse({ fixed }: EmulatorContext): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next();
    const { method, path } = c.req;
    const response = fixed.responses.find((each) => matchesRequest(each, { method, path }));
    if (response === undefined) return;
    const hasBody = ![204, 205, 304].includes(response.status);
    c.var.notes.responseBody = hasBody ? response.body : null;
    const headers = withoutContent(c.res.headers);
    for (const [name, value] of sentHeaders(response)) headers.set(name, value);
    // Otherwise Hono would keep the headers of the response that this one replaces.
    c.res = undefined;
    c.res = new Response(hasBody ? response.body : null, { status: response.status, headers });
  };
}

/** The headers that every response has, for example those of the rate limit. */
function withoutContent(all: Headers): Headers {
  return new Headers([...all].filter(([name]) => !name.startsWith('content-')));
}

function sentHeaders({ headers = {} }: FixedResponse): [string, string][] {
  return Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
}

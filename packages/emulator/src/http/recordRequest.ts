import { SERVICE_HEADERS } from '@qr-service/core/connector';
import type { Context, MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../control/context.ts';
import { addRequest, type RecordedMessage, type RequestEntry } from '../store/requestLog.ts';
import type { Env } from './env.ts';

/** Maximum recorded length of a body, in characters. */
const MAX_RECORDED_LENGTH = 16 * 1024;
const REDACTED = '••••';
const SECRET_HEADERS = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  SERVICE_HEADERS.apiKey.toLowerCase(),
]);

/** Gives every request an id and records it with its response. */
export function recordRequest(context: EmulatorContext): MiddlewareHandler<Env> {
  const { database, store, stateSignal, now, log } = context;
  return async (c, next) => {
    const requestId = store.ids.newId('req');
    c.set('requestId', requestId);
    c.set('notes', {});
    const signal = stateSignal();
    c.set('stateSignal', signal);
    const at = now();
    const startedAt = performance.now();
    // Uses the emulator's clock, like all timestamps. Node would use the system clock.
    c.header('Date', new Date(at).toUTCString());
    await next();
    const { pathname, search } = new URL(c.req.url);
    const { notes } = c.var;
    const entry = {
      at,
      method: c.req.method,
      path: pathname + search,
      status: c.env.incoming.socket.destroyed ? 0 : c.res.status,
      requestId,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      keyName: c.var.sentKey?.name ?? null,
      idempotency: notes.idempotency ?? null,
      fault: notes.fault ?? null,
      code: notes.failure?.code ?? null,
      fields: notes.failure?.fields ?? [],
      request: { headers: sentHeaders(c), body: truncate(notes.requestBody) },
      response: { headers: Object.fromEntries(c.res.headers), body: truncate(notes.responseBody) },
    };
    // A restored log must not show requests from the previous state.
    if (!signal.aborted) addRequest(database, entry);
    log(describeRequest(entry));
  };
}

/** A request on one line. */
function describeRequest({ method, path, status, code, fields }: RequestEntry): string {
  const refusal = code === null ? '' : ` ${code}`;
  const about = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  return `${method} ${path} → ${status || 'connection cut'}${refusal}${about}`;
}

/** The request's headers as they were sent, with credentials redacted. */
function sentHeaders(c: Context<Env>): RecordedMessage['headers'] {
  const { rawHeaders } = c.env.incoming;
  const headers: RecordedMessage['headers'] = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    headers[name] = SECRET_HEADERS.has(name.toLowerCase()) ? REDACTED : value;
  }
  return headers;
}

function truncate(body: string | null | undefined): string | null {
  if (body === undefined || body === null || body === '') return null;
  // A slice alone would keep the whole text in memory.
  return body.length <= MAX_RECORDED_LENGTH
    ? body
    : `${Buffer.from(body.slice(0, MAX_RECORDED_LENGTH)).toString()} …`;
}

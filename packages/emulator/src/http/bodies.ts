import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Context } from 'hono';
import type { Env } from './env.ts';
import { validationFailure } from './failures.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads a request's body as text.
 * @throws ApiFailure 422 when it is too large, not UTF-8 or incomplete
 */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await buffer(incoming);
  } catch {
    throw validationFailure({ body: 'is incomplete' });
  }
  if (bytes.length > MAX_BODY_BYTES)
    throw validationFailure({ body: `must not be larger than ${MAX_BODY_BYTES} bytes` });
  if (!isUtf8(bytes)) throw validationFailure({ body: 'is not valid UTF-8' });
  return bytes.toString();
}

/** A response with one of these statuses has no body. */
export const BODILESS = [204, 205, 304];

/** Sends a body that is already serialized, or none. */
export function sendBody(
  c: Context<Env>,
  status: number,
  given: string | null,
  type = 'application/json',
): Response {
  const text = BODILESS.includes(status) ? null : given;
  c.var.notes.responseBody = text;
  return c.newResponse(text || null, status as 200, text ? { 'Content-Type': type } : {});
}

import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { validationFailure } from './failures.ts';
import type { Env } from './env.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a request's body as text.
 * @throws ApiFailure 422 when it is too large, not UTF-8 or incomplete
 */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      // Keep reading to the end, so that the sender receives the response.
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    throw validationFailure({ body: 'is incomplete' });
  }
  if (size > MAX_BODY_BYTES)
    throw validationFailure({ body: `must not be larger than ${MAX_BODY_BYTES} bytes` });
  try {
    return UTF8.decode(Buffer.concat(chunks));
  } catch {
    throw validationFailure({ body: 'is not valid UTF-8' });
  }
}

/** Sends a body that is already serialized, or none. */
export function sendBody(c: Context<Env>, status: number, text: string | null): Response {
  c.var.notes.responseBody = text;
  const type = text?.startsWith('<') === true ? 'text/html' : 'application/json';
  return c.newResponse(text, status as 200, text === null ? {} : { 'Content-Type': type });
}

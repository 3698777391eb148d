import type { Context } from 'hono';
import type { Env } from '../../env.ts';
import type { ApiResponse } from './apiResponse.ts';

/** Sends a response. */
export function sendResponse(c: Context<Env>, response: ApiResponse): Response {
  return sendBody(c, response.status, serializeBody(response));
}

/** The body of a response as it is sent; null for none. */
export function serializeBody({ body }: ApiResponse): string | null {
  return body === null || typeof body === 'string' ? body : JSON.stringify(body);
}

/** Sends a body that is already serialized (JSON or a page of HTML), or none. */
export function sendBody(c: Context<Env>, status: number, text: string | null): Response {
  c.var.notes.responseBody = text;
  const type = text?.startsWith('<') === true ? 'text/html' : 'application/json';
  return c.newResponse(text, status as 200, text === null ? {} : { 'Content-Type': type });
}

import type { WebhookEvent } from '../contract/events.ts';
import { makePlain } from '../json/plainJson.ts';
import { isObject, text } from '../json/values.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The envelope in a delivery's body (API text, "Envelope"), or undefined where the body is none: no UTF-8,
 * no JSON, without an id and a type, or nested so deeply that it could not be written again. Whatever else
 * it holds passes through as plain data.
 */
export function readEvent(rawBody: string | Uint8Array): WebhookEvent | undefined {
  const body = parse(rawBody);
  if (!isObject(body) || text(body['id']) === undefined || text(body['type']) === undefined) return undefined;
  if (!makePlain(body)) return undefined;
  body['workspaceId'] = text(body['workspaceId']) ?? '';
  body['occurredAt'] = text(body['occurredAt']) ?? '';
  if (!isObject(body['data'])) body['data'] = {};
  return body as typeof body & WebhookEvent;
}

function parse(rawBody: string | Uint8Array): unknown {
  try {
    if (typeof rawBody !== 'string') return JSON.parse(UTF8.decode(rawBody));
    // Half of a surrogate pair is hashed as U+FFFD, so that a changed one would go unseen.
    return rawBody.isWellFormed() ? JSON.parse(rawBody) : undefined;
  } catch {
    return undefined;
  }
}

import type { WebhookEvent } from '../contract/events.ts';
import { makePlain } from '../json/plainJson.ts';
import { isObject, text } from '../json/values.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a delivery's body into an event (API text, "Envelope"). Returns undefined if the body isn't UTF-8 or JSON,
 * lacks an ID or a type, or is nested too deeply to be serialized again. All other fields are passed through.
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
    // A lone surrogate is hashed as U+FFFD, so the signature doesn't detect a change to it.
    return rawBody.isWellFormed() ? JSON.parse(rawBody) : undefined;
  } catch {
    return undefined;
  }
}

import type { WebhookEvent } from '../contract/types.ts';
import { isObject, text } from '../wire/record.ts';

/** The envelope in a delivery's body (API text, "Envelope"), or undefined where the body is none. */
export function readEvent(rawBody: string | Uint8Array): WebhookEvent | undefined {
  const body = parse(rawBody);
  if (!isObject(body)) return undefined;
  const [id, type] = [text(body['id']), text(body['type'])];
  if (id === undefined || type === undefined) return undefined;
  return {
    ...body,
    id,
    type,
    workspaceId: text(body['workspaceId']) ?? '',
    occurredAt: text(body['occurredAt']) ?? '',
    data: isObject(body['data']) ? body['data'] : {},
  };
}

function parse(rawBody: string | Uint8Array): unknown {
  try {
    const json =
      typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { fatal: true }).decode(rawBody);
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

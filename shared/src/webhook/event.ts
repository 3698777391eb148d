import { EVENTS, type AnyEvent, type EventType, type WebhookEvent } from '../contract/events.ts';
import { isObject, nonEmptyText, omitUndefined, type JsonObject } from '../json/json.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a delivery's body (docs/api.md#events). Undefined if it isn't UTF-8 or JSON, or lacks an ID or a type. */
export function readEvent(rawBody: string | Uint8Array): WebhookEvent | undefined {
  const body = parse(rawBody);
  if (!isObject(body) || nonEmptyText(body['id']) === undefined || nonEmptyText(body['type']) === undefined)
    return undefined;
  body['workspaceId'] = nonEmptyText(body['workspaceId']) ?? '';
  body['occurredAt'] = nonEmptyText(body['occurredAt']) ?? '';
  if (!isObject(body['data'])) body['data'] = {};
  return body as unknown as WebhookEvent;
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

/**
 * Flattens an event into one row: what identifies its code, what happened, its data, with the fields of a code's summary
 * unwrapped, and the delivery's IDs. The code's ID is also `id`. A field whose name is already in use gets the prefix `data_`.
 */
export function eventRow(event: AnyEvent, deliveryId?: string): Record<string, unknown> {
  const row: Record<string, unknown> = {
    eventId: event.id,
    type: event.type,
    occurredAt: event.occurredAt,
    deliveryId: deliveryId ?? null,
    workspaceId: event.workspaceId,
  };
  const data = flattenData(event.data as JsonObject);
  const { qrId } = data;
  if (qrId !== undefined && qrId !== null) row['id'] = qrId;
  // `in` also finds inherited names such as __proto__, which a row must not set.
  for (const [key, value] of Object.entries(data)) row[key in row ? `data_${key}` : key] = value;
  const { id, name, publicUrl, status, type, occurredAt } = row;
  const { eventId, deliveryId: delivery, workspaceId, ...others } = row;
  const first = omitUndefined({ id, name, publicUrl, status, type, occurredAt });
  return { ...first, ...others, eventId, deliveryId: delivery, workspaceId };
}

/** Moves the fields of the code's summary next to the rest of the data; its ID becomes `qrId`. */
function flattenData(data: JsonObject): JsonObject {
  const { qr, ...rest } = data;
  if (!isObject(qr)) return data;
  const { id, ...code } = qr;
  const flat: JsonObject = { qrId: id, ...rest };
  for (const [key, value] of Object.entries(code)) flat[key in flat ? `qr_${key}` : key] = value;
  return flat;
}

/** Creates a sample event with its whole envelope, for tests and editor previews. */
export function sampleEvent(type: EventType): WebhookEvent {
  return {
    id: `evt_sample_${type.replaceAll('.', '_')}`,
    type,
    workspaceId: 'ws_sample',
    occurredAt: '2026-01-15T09:30:00.000Z',
    data: structuredClone<Record<string, unknown>>(EVENTS[type].sampleData),
  } as unknown as WebhookEvent;
}

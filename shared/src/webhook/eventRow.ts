import type { WebhookEvent } from '../contract/events.ts';
import { isObject, type JsonObject } from '../json/values.ts';

/**
 * Flattens an event into one row for a sheet: the envelope first, then its data, with the fields of a code's summary
 * unwrapped, and the code's ID as `id`, too. Fields that the API text doesn't show are passed through, with the prefix
 * `data_` if their name is already in use.
 * @example
 * ```ts
 * import { eventRow, sampleEvent } from '@qr-service/core/webhook';
 *
 * const row = eventRow(sampleEvent('qr.published'), 'dlv_1');
 * console.log(row.type, row.deliveryId, row.name); // qr.published dlv_1 Table 4
 * ```
 */
export function eventRow(event: WebhookEvent, deliveryId?: string): Record<string, unknown> {
  const row: Record<string, unknown> = {
    eventId: event.id,
    type: event.type,
    occurredAt: event.occurredAt,
    deliveryId: deliveryId ?? null,
    workspaceId: event.workspaceId,
  };
  const data = flattenData(event.data);
  const { qrId } = data;
  if (qrId !== undefined && qrId !== null) row['id'] = qrId;
  // `in` also finds inherited names such as __proto__, which a row must not set.
  for (const [key, value] of Object.entries(data)) row[key in row ? `data_${key}` : key] = value;
  return row;
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

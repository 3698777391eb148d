import { CODE_EVENT_FIELDS } from '../contract/fields.ts';
import type { WebhookEvent } from '../contract/events.ts';
import { isObject, type JsonObject } from '../json/values.ts';

/**
 * An event as one flat row for a sheet: the envelope, then what its data holds, a code's summary among it.
 * Data of a kind that the API text does not show passes through; a name that is taken gets `data_` in front.
 */
export function eventRow(event: WebhookEvent, deliveryId?: string): Record<string, unknown> {
  const row: Record<string, unknown> = {
    eventId: event.id,
    type: event.type,
    occurredAt: event.occurredAt,
    deliveryId: deliveryId ?? null,
    workspaceId: event.workspaceId,
  };
  // `in` and not an own key: a name like __proto__ is taken, too.
  for (const [key, value] of Object.entries(flattenData(event.data)))
    row[key in row ? `data_${key}` : key] = value;
  return row;
}

/** The code's summary beside the data around it; its id is the `qrId` there. */
function flattenData(data: JsonObject): JsonObject {
  const { qr, ...rest } = data;
  if (!isObject(qr)) return data;
  const { id, ...code } = qr;
  const flat: JsonObject = { qrId: id, ...rest };
  for (const [key, value] of Object.entries(code)) flat[key in flat ? `qr_${key}` : key] = value;
  const order = CODE_EVENT_FIELDS.map((field) => field.key).filter((key) => Object.hasOwn(flat, key));
  return { ...Object.fromEntries(order.map((key) => [key, flat[key]])), ...flat };
}

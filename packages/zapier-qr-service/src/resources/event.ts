import { eventFields } from '@qr-service/core/connector';
import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import type { EventType, QrCode, WebhookEvent } from '@qr-service/core';
import { EXAMPLES, output, withAllFields } from './outputFields.ts';

/** An event as its trigger outputs it: the same for a delivery, a recent code and the sample. */
export function eventOutputRow(
  type: EventType,
  event: WebhookEvent,
  deliveryId?: string,
): Record<string, unknown> {
  return withAllFields(eventFields(type), eventRow(event, deliveryId));
}

/** A recent code in the form of an event about it, marked as a sample by its ids. */
export function recentCodeRow(type: EventType, code: QrCode): Record<string, unknown> {
  const sample = sampleEvent(type);
  const event = {
    ...sample,
    id: `${sample.id}_${code.id}`,
    occurredAt: code.updatedAt,
    data: { qrId: code.id, source: 'sample', qr: code },
  };
  return eventOutputRow(type, event, EXAMPLES.deliveryId);
}

/** Sample and output fields of the trigger for an event. */
export function eventOutput(type: EventType) {
  return output(eventFields(type), eventRow(sampleEvent(type)), ['eventId']);
}

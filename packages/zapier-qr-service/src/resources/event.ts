import type { EventType, QrCode, WebhookEvent } from '@qr-service/core';
import {
  EVENT_ENVELOPE_FIELDS,
  eventFields,
  EVENTS,
  KNOWN_STATUSES,
  QR_CODE_FIELDS,
  type FieldDefinition,
} from '@qr-service/core/connector';
import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import { output, withAllFields } from './outputFields.ts';

/** Fields that are documented for an event (docs/api.md#events) and for the code in its data. Rows contain all others too. */
function knownFields(type: EventType, { data = {} }: { data?: object } = {}): readonly FieldDefinition[] {
  const documented = EVENTS[type].dataDocumented ? eventFields(type) : EVENT_ENVELOPE_FIELDS;
  const fields = 'qr' in data ? [...documented, ...QR_CODE_FIELDS] : documented;
  return fields.filter(({ key }) => key !== 'id');
}

/**
 * An event as its trigger outputs it, in the same form for a delivery, a recent code and the sample. Without the code's
 * ID as `id`: in Zapier, that names a trigger's row, which here is the event's.
 */
export function eventOutputRow(type: EventType, event: WebhookEvent): Record<string, unknown> {
  const { id, ...row } = eventRow(event);
  return withAllFields(
    knownFields(type, event),
    id === undefined || id === row['qrId'] ? row : { ...row, id },
  );
}

/** A recent code in the form of an event about it. Its IDs mark it as a sample. */
export function recentCodeRow(type: EventType, code: QrCode): Record<string, unknown> {
  const sample = sampleEvent(type);
  const data = { qrId: code.id, source: 'sample', qr: code };
  const id = `${sample.id}_${code.id}`;
  return eventOutputRow(type, { ...sample, id, occurredAt: code.updatedAt, data } as WebhookEvent);
}

/** Whether a code can stand for an event about it: a published code wasn't just archived. */
export function fitsEvent(type: EventType, { status }: QrCode): boolean {
  if (type === 'qr.created') return !KNOWN_STATUSES.includes(status);
  return type === 'qr.updated' || status === (EVENTS[type].sampleData as { qr?: QrCode }).qr?.status;
}

/** Sample and output fields of the trigger for an event. */
export function eventOutput(type: EventType) {
  return output(knownFields(type), eventRow(sampleEvent(type)));
}

import type { EventType, QrCode, WebhookEvent } from '@qr-service/core';
import {
  EVENT_ENVELOPE_FIELDS,
  eventFields,
  EVENTS,
  KNOWN_STATUSES,
  QR_CODE_FIELDS,
} from '@qr-service/core/connector';
import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import type { ZObject } from 'zapier-platform-core';
import { IMAGE_FIELDS, imagesOf } from './images.ts';
import { output, withAllFields, type OutputField } from './outputFields.ts';

/** The event after which a code's image can be used. */
const IMAGED_EVENT: EventType = 'qr.published';

/** Fields that are documented for an event (docs/api.md#events) and for the code in its data. Rows contain all others too. */
function knownFields(type: EventType, { data = {} }: { data?: object } = {}): readonly OutputField[] {
  const documented = EVENTS[type].dataDocumented ? eventFields(type) : EVENT_ENVELOPE_FIELDS;
  const fields = 'qr' in data ? [...documented, ...QR_CODE_FIELDS] : documented;
  const ofCode = fields.filter(({ key }) => key !== 'id');
  return type === IMAGED_EVENT ? [...ofCode, ...IMAGE_FIELDS] : ofCode;
}

/**
 * An event as its trigger outputs it, in the same form for a delivery, a recent code and the sample. Without the code's
 * ID as `id`: in Zapier, that names a trigger's row, which here is the event's.
 */
export function eventOutputRow(z: ZObject, type: EventType, event: WebhookEvent): Record<string, unknown> {
  const { id, ...row } = eventRow(event);
  const { qrId } = row;
  if (id !== undefined && id !== qrId) row['id'] = id;
  // Without the code's data, its file is named by its ID.
  if (type === IMAGED_EVENT) Object.assign(row, imagesOf(z, { ...row, id: qrId }));
  return withAllFields(knownFields(type, event), row);
}

/** A recent code in the form of an event about it. Its IDs mark it as a sample. */
export function recentCodeRow(z: ZObject, type: EventType, code: QrCode): Record<string, unknown> {
  const sample = sampleEvent(type);
  const data = { qrId: code.id, source: 'sample', qr: code };
  const id = `${sample.id}_${code.id}`;
  return eventOutputRow(z, type, { ...sample, id, occurredAt: code.updatedAt, data } as WebhookEvent);
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

import type { EventType, QrCode, WebhookEvent } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import type { Store } from '../store/index.ts';
import { startOf } from '../store/codes.ts';
import type { QrRecord } from '../store/records.ts';
import { LOW_SCORE_THRESHOLD, SCORES } from './feedback.ts';

/** Records an event and queues its delivery to every subscription to this event type. */
export type EmitEvent = (type: EventType, data: Record<string, unknown>) => WebhookEvent;

/** @param onDeliveriesCreated called when deliveries are queued */
export function createEmitEvent(store: Store, now: () => number, onDeliveriesCreated: () => void): EmitEvent {
  return (type, data) => {
    const at = now();
    const event: WebhookEvent = {
      id: store.ids.newId('evt'),
      type,
      workspaceId: store.workspace.id,
      occurredAt: new Date(at).toISOString(),
      data,
    };
    const interested = store.subscriptions.active().filter(({ eventTypes }) => eventTypes.includes(type));
    const sent = { eventId: event.id, eventType: type, body: JSON.stringify(event) };
    for (const { id, url } of interested) store.deliveries.create({ ...sent, subscriptionId: id, url }, at);
    if (interested.length > 0) onDeliveriesCreated();
    return event;
  };
}

/** Invents data for an event that only its type is given of. */
export type InventEventData = (type: EventType) => Record<string, unknown>;

/** How many of the latest codes are searched for one that fits. */
const CODES_CONSIDERED = 50;

/** States of a code for which an event fits. Any state, if it isn't listed; `qr.deleted` fits no code that exists. */
const FITTING: { readonly [Type in EventType]?: readonly QrRecord['status'][] } = {
  'qr.published': ['published'],
  'qr.archived': ['archived'],
  'qr.deleted': [],
};

/**
 * Data for an event: about the latest code that fits, so that a receiver can look it up, or with new IDs; otherwise the
 * event's sample.
 */
export function createInventEventData(store: Store, summarize: (code: QrRecord) => QrCode): InventEventData {
  function fittingCode(type: EventType): QrRecord | undefined {
    const states = FITTING[type];
    const start = startOf('descending', 0, store.qrCodes.snapshot());
    const latest = store.qrCodes.walk('descending', { ...start, count: CODES_CONSIDERED });
    return latest.find(({ status }) => states?.includes(status) ?? true);
  }

  return (type) => {
    const sample = structuredClone<Record<string, unknown>>(EVENTS[type].sampleData);
    if ('qr' in sample) {
      const code = fittingCode(type);
      return code === undefined ? sample : { ...sample, qrId: code.id, source: 'app', qr: summarize(code) };
    }
    if (!('responseId' in sample)) return sample;
    const responseId = store.ids.newId('resp');
    return { ...sample, responseId, score: scoreFor(type, responseId) };
  };
}

/** A score that varies, but is the same for the same ID. */
function scoreFor(type: EventType, id: string): number {
  const scores = type === 'feedback.low_score_received' ? LOW_SCORE_THRESHOLD : SCORES.max + 1;
  return Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % scores;
}

import type { EventType, WebhookEvent } from '@qr-service/core';
import type { Store } from '../store/index.ts';

/** Records an event and queues its delivery to every subscription to this event type. */
export type EmitEvent = (type: EventType, data: Record<string, unknown>) => WebhookEvent;

/** @param onDeliveriesCreated called when deliveries are queued */
export function createEmitEvent(store: Store, now: () => number, onDeliveriesCreated: () => void): EmitEvent {
  return (type, data) => {
    const at = now();
    const event = {
      id: store.ids.newId('evt'),
      type,
      workspaceId: store.workspace.id,
      occurredAt: new Date(at).toISOString(),
      data,
    } as unknown as WebhookEvent;
    const interested = store.subscriptions.active().filter(({ eventTypes }) => eventTypes.includes(type));
    const sent = { eventId: event.id, eventType: type, body: JSON.stringify(event) };
    for (const { id, url } of interested) store.deliveries.create({ ...sent, subscriptionId: id, url }, at);
    if (interested.length > 0) onDeliveriesCreated();
    return event;
  };
}

import type { EventType, WebhookEvent } from '@qr-service/core';
import type { Store } from '../store/index.ts';

/** Records that something happened and puts it on its way to every subscription that asked for it. */
export type Announce = (type: EventType, data: Record<string, unknown>) => WebhookEvent;

/** @param onDelivery called when there is something to deliver */
export function announcer(store: Store, now: () => number, onDelivery: () => void): Announce {
  return (type, data) =>
    store.transaction(() => {
      const at = now();
      const event: WebhookEvent = {
        id: store.ids.newId('evt'),
        type,
        workspaceId: store.workspace.id,
        occurredAt: new Date(at).toISOString(),
        data,
      };
      const wanted = store.subscriptions.active().filter(({ eventTypes }) => eventTypes.includes(type));
      if (wanted.length > 0) store.events.insert(event);
      for (const { id } of wanted) store.deliveries.create(event.id, id, at);
      if (wanted.length > 0) onDelivery();
      return event;
    });
}

import type { EventType } from '@qr-service/core';
import type { Store } from '../store/index.ts';
import type { Subscription } from '../store/records.ts';

/** Operations on webhook subscriptions. */
export type SubscriptionService = ReturnType<typeof subscriptionService>;

export function subscriptionService(store: Store, now: () => number) {
  return {
    create: (url: string, eventTypes: readonly EventType[]): Subscription =>
      store.subscriptions.create(url, [...new Set(eventTypes)], now()),
    /** Removes a subscription and cancels its pending deliveries. Returns whether it existed. */
    remove(id: string): boolean {
      const removed = store.subscriptions.remove(id, now());
      if (removed) store.deliveries.cancel(id);
      return removed;
    },
  };
}

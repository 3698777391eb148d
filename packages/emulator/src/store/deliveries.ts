import type { WebhookEvent } from '@qr-service/core';
import type { Ids } from './ids.ts';
import type { Delivery, DeliveryStatus } from './records.ts';
import type { Database, StoredDelivery } from './state.ts';

const isUnsettled = ({ status }: StoredDelivery) => status === 'pending' || status === 'sending';
const byTime = (one: StoredDelivery, other: StoredDelivery) =>
  one.nextAttemptAt - other.nextAttemptAt || one.seq - other.seq;

/** Events and their deliveries, with every attempt (API text, "Delivery and retry"). */
export function deliveryTable(database: Database, ids: Ids) {
  const stored = () => [...database.state.deliveries.values()];
  const unsettled = () => stored().filter(isUnsettled).sort(byTime);

  function complete(delivery: StoredDelivery): Delivery {
    const { events, subscriptions } = database.state;
    const { type = '', body = '' } = events.get(delivery.eventId) ?? {};
    const { url = '' } = subscriptions.get(delivery.subscriptionId) ?? {};
    return { ...delivery, eventType: type, url, body };
  }

  return {
    /** Stores an event, with the exact bytes that are signed and sent. */
    insertEvent(event: WebhookEvent): void {
      database.state.events.set(event.id, { type: event.type, body: JSON.stringify(event) });
    },
    /** Queues a delivery and returns its ID. */
    create(eventId: string, subscriptionId: string, nextAttemptAt: number): string {
      const { state } = database;
      const id = ids.newId('dlv');
      const seq = ++state.lastSeq;
      state.deliveries.set(id, {
        seq,
        id,
        eventId,
        subscriptionId,
        status: 'pending',
        tries: 0,
        nextAttemptAt,
      });
      database.changes += 1;
      return id;
    },
    set(id: string, status: DeliveryStatus, tries: number, nextAttemptAt: number): void {
      Object.assign(database.state.deliveries.get(id) ?? {}, { status, tries, nextAttemptAt });
      database.changes += 1;
    },
    /** Cancels the pending deliveries to a subscription. */
    cancel(subscriptionId: string): void {
      for (const delivery of stored())
        if (delivery.subscriptionId === subscriptionId && delivery.status === 'pending')
          delivery.status = 'canceled';
    },
    /** Makes deliveries that were in flight when the emulator stopped pending again. */
    resume(): void {
      for (const delivery of stored()) if (delivery.status === 'sending') delivery.status = 'pending';
    },
    find(id: string): Delivery | undefined {
      const found = database.state.deliveries.get(id);
      return found && complete(found);
    },
    /** Oldest first. */
    all: (): Delivery[] => stored().map(complete),
    /** Those that are pending or in flight, in the order of their next attempts. */
    unsettled: (): Delivery[] => unsettled().map(complete),
    /** Whether none is pending or in flight. */
    settled: (): boolean => !stored().some(isUnsettled),
    /** The pending deliveries that are due, in order, and the time at which the next one is. */
    due(now: number): { due: Delivery[]; next: number | undefined } {
      const pending = unsettled().filter(({ status }) => status === 'pending');
      const later = pending.findIndex(({ nextAttemptAt }) => nextAttemptAt > now);
      const due = later === -1 ? pending : pending.slice(0, later);
      return { due: due.map(complete), next: later === -1 ? undefined : pending[later]?.nextAttemptAt };
    },
    /**
     * Deletes settled deliveries older than the latest `count`, together with their attempts and with events and removed
     * subscriptions that no other delivery needs.
     */
    keepLatest(count: number): void {
      const { deliveries, attempts, events, subscriptions } = database.state;
      const settled = stored().filter((delivery) => !isUnsettled(delivery));
      if (settled.length <= count) return;
      for (const { id } of settled.slice(0, settled.length - count)) {
        deliveries.delete(id);
        attempts.delete(id);
      }
      const left = stored();
      const usedEvents = new Set(left.map(({ eventId }) => eventId));
      const usedSubscriptions = new Set(left.map(({ subscriptionId }) => subscriptionId));
      for (const id of events.keys()) if (!usedEvents.has(id)) events.delete(id);
      for (const { id, removedAt } of subscriptions.values())
        if (removedAt !== undefined && !usedSubscriptions.has(id)) subscriptions.delete(id);
    },
  };
}

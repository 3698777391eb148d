import type { Ids } from './ids.ts';
import type { Attempt, Delivery, DeliveryStatus } from './records.ts';
import type { Database } from './state.ts';

/** What is delivered, and where. */
type NewDelivery = Pick<Delivery, 'eventId' | 'eventType' | 'body' | 'subscriptionId' | 'url'>;

/** How many deliveries are kept. When there are more, the oldest settled one is forgotten. */
const DELIVERIES_KEPT = 10_000;

const isUnsettled = ({ status }: Delivery) => status === 'pending' || status === 'sending';
const byTime = (one: Delivery, other: Delivery) =>
  one.nextAttemptAt - other.nextAttemptAt || one.seq - other.seq;

/** Deliveries, each with the exact bytes that are signed and sent (docs/api.md#deliveries). */
export function deliveryTable(database: Database, ids: Ids) {
  const all = () => [...database.state.deliveries.values()];
  const unsettled = () => all().filter(isUnsettled).sort(byTime);

  function change(id: string, changes: Partial<Delivery>): void {
    const { deliveries } = database.state;
    const found = deliveries.get(id);
    if (found !== undefined) deliveries.set(id, { ...found, ...changes });
  }

  function forgetOldest(): void {
    const { deliveries } = database.state;
    for (const delivery of deliveries.values()) {
      if (isUnsettled(delivery)) continue;
      deliveries.delete(delivery.id);
      return;
    }
  }

  return {
    /** Queues a delivery and returns its ID. */
    create({ eventId, eventType, body, subscriptionId, url }: NewDelivery, nextAttemptAt: number): string {
      const { state } = database;
      const id = ids.newId('dlv');
      const seq = ++state.lastSeq;
      const target = { eventId, eventType, body, subscriptionId, url };
      state.deliveries.set(id, {
        seq,
        id,
        ...target,
        status: 'pending',
        tries: 0,
        nextAttemptAt,
        attempts: [],
      });
      if (state.deliveries.size > DELIVERIES_KEPT) forgetOldest();
      return id;
    },
    set: (id: string, status: DeliveryStatus, tries: number, nextAttemptAt: number): void =>
      change(id, { status, tries, nextAttemptAt }),
    recordAttempt(id: string, attempt: Omit<Attempt, 'number'>): void {
      const made = database.state.deliveries.get(id)?.attempts ?? [];
      change(id, { attempts: [...made, { number: made.length + 1, ...attempt }] });
    },
    /** Cancels the pending deliveries to a subscription. */
    cancel(subscription: string): void {
      for (const { id, subscriptionId, status } of all())
        if (subscriptionId === subscription && status === 'pending') change(id, { status: 'canceled' });
    },
    /** Makes deliveries that were in flight when the emulator stopped pending again. */
    resume(): void {
      for (const { id, status } of all()) if (status === 'sending') change(id, { status: 'pending' });
    },
    find: (id: string): Delivery | undefined => database.state.deliveries.get(id),
    /** Oldest first. */
    all,
    /** Those that are pending or in flight, in the order of their next attempts. */
    unsettled,
    /** Whether none is pending or in flight. */
    settled: (): boolean => !all().some(isUnsettled),
    /** The pending deliveries that are due, in order, and the time at which the next one is. */
    due(now: number): { due: Delivery[]; next: number | undefined } {
      const pending = unsettled().filter(({ status }) => status === 'pending');
      const due = pending.filter(({ nextAttemptAt }) => nextAttemptAt <= now);
      return { due, next: pending[due.length]?.nextAttemptAt };
    },
  };
}

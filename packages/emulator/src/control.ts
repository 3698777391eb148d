import { EVENTS, type EventType, type WebhookEvent } from '@qr-service/core';
import type { EmulatorContext } from './context.ts';
import type { Dispatcher } from './delivery/dispatcher.ts';
import { createKey, type CreatedKey } from './keys.ts';
import type { KeyOptions } from './options.ts';
import type { Fault } from './server/faults.ts';
import type { RequestEntry } from './server/requestLog.ts';
import type { Attempt } from './store/attempts.ts';
import type { Delivery } from './store/deliveries.ts';
import type { QrRecord } from './store/qrCodes.ts';
import type { Subscription } from './store/subscriptions.ts';

/** A delivery with every try. */
export type DeliveryRecord = Delivery & { attempts: Attempt[] };

/** What the service's app would do, and a look inside; for tests and demos, in process. */
export interface Control {
  /** @throws TypeError for options that can't be used */
  createKey(options?: KeyOptions): CreatedKey;
  /** @throws Error when there is no such key in use */
  revokeKey(id: string): void;
  /** Takes a code off the redirect host. @throws Error when there is no such code */
  archive(qrId: string): void;
  /** Removes a code for good. @throws Error when there is no such code */
  delete(qrId: string): void;
  /** @throws Error when there is no such code */
  rename(qrId: string, name: string): void;
  /** Sends any event, with sample data where none is given. */
  emit(type: EventType, data?: Record<string, unknown>): WebhookEvent;
  /** Oldest first. */
  deliveries(): DeliveryRecord[];
  /**
   * Sends a delivery again, under its own id or a new one, and returns that id.
   * @throws Error when there is no such delivery or its subscription is removed
   */
  redeliver(deliveryId: string, options?: { newDeliveryId?: boolean }): string;
  /** Those that are not removed, with their secrets. */
  subscriptions(): Subscription[];
  /** The latest requests, oldest first. */
  requests(): RequestEntry[];
  /** How many requests there have been. */
  requestCount(): number;
  /** Resolves when no delivery is pending or under way, retries included. */
  settled(): Promise<void>;
  /** Makes the next API requests fail. */
  failNext(fault?: Fault): void;
}

export function createControl(context: EmulatorContext, dispatcher: Dispatcher): Control {
  const { store, codes, now } = context;

  function code(id: string): QrRecord {
    const found = store.qrCodes.find(id);
    if (found === undefined) throw new Error(`There is no QR code ${id}.`);
    return found;
  }

  function redeliver(deliveryId: string, newDeliveryId: boolean): string {
    const delivery = store.deliveries.find(deliveryId);
    if (delivery === undefined) throw new Error(`There is no delivery ${deliveryId}.`);
    const { eventId, subscriptionId } = delivery;
    if (store.subscriptions.isRemoved(subscriptionId))
      throw new Error(`The subscription of the delivery ${deliveryId} is removed.`);
    if (newDeliveryId) return store.deliveries.create(eventId, subscriptionId, now());
    store.deliveries.set(deliveryId, 'pending', 0, now());
    return deliveryId;
  }

  return {
    createKey: (options) => createKey(store, options),
    revokeKey(id) {
      if (!store.apiKeys.revoke(id, now())) throw new Error(`There is no key ${id} in use.`);
    },
    archive: (id) => void codes.archive(code(id), 'app'),
    delete: (id) => codes.delete(code(id), 'app'),
    rename: (id, name) => void codes.rename(code(id), name, 'app'),
    emit: (type, data) => context.announce(type, data ?? structuredClone(EVENTS[type].sampleData)),
    deliveries: () =>
      store.deliveries.all().map((delivery) => ({ ...delivery, attempts: store.attempts.of(delivery.id) })),
    redeliver(deliveryId, { newDeliveryId = false } = {}) {
      const id = redeliver(deliveryId, newDeliveryId);
      dispatcher.wake();
      return id;
    },
    subscriptions: () => store.subscriptions.active(),
    requests: () => context.requests.recent(),
    requestCount: () => context.requests.count(),
    settled: () => dispatcher.settled(),
    failNext: (fault = {}) => context.faults.add(fault),
  };
}

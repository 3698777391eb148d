import { EVENTS, type EventType, type WebhookEvent } from '@qr-service/core';
import type { KeyOptions } from '../config/keyOptions.ts';
import { readWireShape, type WireShape } from '../config/wireShape.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { RecordNotFoundError } from '../domain/RecordNotFoundError.ts';
import { createKey, type CreatedKey } from '../domain/keys.ts';
import type { DeliveryFault } from '../faults/deliveryFaults.ts';
import type { FaultList, SetFault } from '../faults/faultList.ts';
import type { Fault } from '../faults/requestFaults.ts';
import type { Attempt } from '../store/attempts.ts';
import type { Delivery } from '../store/deliveries.ts';
import type { QrRecord } from '../store/qrCodes.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { isDeep } from '../validation/isDeep.ts';
import type { Clock } from './clock.ts';
import type { EmulatorContext } from './context.ts';
import type { RequestEntry } from './requestLog.ts';
import type { Snapshot, Snapshots } from './snapshots.ts';

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
  /** Takes a code out of the archive, unpublished. @throws Error when there is no such code */
  unarchive(qrId: string): void;
  /** Ends a code's review. @throws Error when there is no such code */
  approve(qrId: string): void;
  /** @throws Error when there is no such code */
  reject(qrId: string): void;
  /**
   * Answers the feedback form behind a code and returns the response's id.
   * @param score 0 to 10
   * @throws Error when there is no such code, TypeError for another score
   */
  answerFeedback(qrId: string, score: number): string;
  /** Marks a response resolved in the inbox. @throws Error when there is no such response, or it is resolved */
  resolveFeedback(responseId: string): void;
  /**
   * Sends any event, with sample data where none is given.
   * @throws TypeError for data of more than 100 levels
   */
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
  /**
   * Makes the next API requests fail, or, with `times: Infinity`, all until it is cleared. Each request takes one
   * fault. Returns the id to clear it by.
   * @throws TypeError for a preset that there is not, or times that are no count
   */
  failNext(fault?: Fault): number;
  /** What is set for requests, with what is left of it. */
  faults(): SetFault<Fault>[];
  /** Clears one fault of requests, or all. @throws Error when there is no fault with this id */
  clearFaults(id?: number): void;
  /**
   * Spoils the next delivery attempts, or, with `times: Infinity`, all until it is cleared. Each attempt takes one
   * fault. Returns the id to clear it by.
   * @throws TypeError for a kind that there is not, or times that are no count
   */
  failDeliveries(fault: DeliveryFault): number;
  /** What is set for delivery attempts, with what is left of it. */
  deliveryFaults(): SetFault<DeliveryFault>[];
  /** Clears one fault of deliveries, or all. @throws Error when there is no fault with this id */
  clearDeliveryFaults(id?: number): void;
  /** How what the API text leaves open is filled at present. */
  wireShape(): Required<WireShape>;
  /** Fills it otherwise; what is not given has its default. @throws TypeError for a shape that there is not */
  setWireShape(shape: WireShape): void;
  /** The emulator's clock, for retries, expiry and windows. */
  readonly clock: Clock;
  /** Remembers everything, the clock and the faults included; for this emulator, while it runs. */
  snapshot(): Snapshot;
  /** Puts everything back. The latest 20 snapshots are kept. @throws Error when there is no such snapshot */
  restore(snapshot: Snapshot): void;
  /** Puts everything back to how it was after the start. */
  reset(): void;
}

export function createControl(
  context: EmulatorContext,
  dispatcher: Dispatcher,
  snapshots: Snapshots,
): Control {
  const { store, codes, clock, requestFaults, deliveryFaults, wireShape, now } = context;

  function code(id: string): QrRecord {
    const found = store.qrCodes.find(id);
    if (found === undefined) throw new RecordNotFoundError(`There is no QR code ${id}.`);
    return found;
  }

  function redeliver(deliveryId: string, newDeliveryId: boolean): string {
    const delivery = store.deliveries.find(deliveryId);
    if (delivery === undefined) throw new RecordNotFoundError(`There is no delivery ${deliveryId}.`);
    const { eventId, subscriptionId } = delivery;
    if (store.subscriptions.isRemoved(subscriptionId))
      throw new RecordNotFoundError(`The subscription of the delivery ${deliveryId} is removed.`);
    if (newDeliveryId) return store.deliveries.create(eventId, subscriptionId, now());
    store.deliveries.set(deliveryId, 'pending', 0, now());
    return deliveryId;
  }

  return {
    createKey: (options) => createKey(store, options),
    revokeKey(id) {
      if (!store.apiKeys.revoke(id, now())) throw new RecordNotFoundError(`There is no key ${id} in use.`);
    },
    archive: (id) => void codes.archive(code(id), 'app'),
    delete: (id) => codes.delete(code(id), 'app'),
    rename: (id, name) => void codes.rename(code(id), name, 'app'),
    unarchive: (id) => void codes.restore(code(id), 'app'),
    approve: (id) => void codes.review(code(id), 'approved', 'app'),
    reject: (id) => void codes.review(code(id), 'rejected', 'app'),
    answerFeedback: (id, score) => context.feedback.respond(code(id).id, score).id,
    resolveFeedback: (id) => context.feedback.resolve(id),
    emit(type, data = structuredClone(EVENTS[type].sampleData)) {
      if (isDeep(data)) throw new TypeError('The data of an event can have 100 levels at most.');
      return context.emitEvent(type, data);
    },
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
    failNext: (fault = {}) => requestFaults.add(fault),
    faults: () => requestFaults.all(),
    clearFaults: (id) => clear(requestFaults, id),
    failDeliveries: (fault) => deliveryFaults.add(fault),
    deliveryFaults: () => deliveryFaults.all(),
    clearDeliveryFaults: (id) => clear(deliveryFaults, id),
    wireShape: wireShape.current,
    setWireShape: (shape) => wireShape.set(readWireShape(shape)),
    clock: {
      now: clock.now,
      advance(ms) {
        clock.advance(ms);
        dispatcher.wake();
      },
      set(time) {
        clock.set(time);
        dispatcher.wake();
      },
    },
    snapshot: () => snapshots.take(),
    restore: (snapshot) => snapshots.restore(snapshot),
    reset: () => snapshots.reset(),
  };
}

function clear(list: Pick<FaultList<unknown>, 'clear'>, id: number | undefined): void {
  if (!list.clear(id) && id !== undefined) throw new RecordNotFoundError(`There is no fault ${id}.`);
}

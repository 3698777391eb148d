import { EVENTS } from '@qr-service/core/connector';
import { EVENT_TYPES, type EventType, type WebhookEvent } from '@qr-service/core';
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

/** A delivery with all its attempts. */
export type DeliveryRecord = Delivery & { attempts: Attempt[] };

/** What the service's app can do, plus a view inside: for tests and demos, in process. */
export interface Control {
  /** @throws TypeError for invalid options */
  createKey(options?: KeyOptions): CreatedKey;
  /** @throws Error when there is no such active key */
  revokeKey(id: string): void;
  /** Takes a code offline. @throws Error when there is no such code */
  archive(qrId: string): void;
  /** Deletes a code permanently. @throws Error when there is no such code */
  delete(qrId: string): void;
  /** @throws Error when there is no such code */
  rename(qrId: string, name: string): void;
  /** Takes a code out of the archive; it is unpublished then. @throws Error when there is no such code */
  unarchive(qrId: string): void;
  /** Ends a code's review. @throws Error when there is no such code */
  approve(qrId: string): void;
  /** @throws Error when there is no such code */
  reject(qrId: string): void;
  /**
   * Submits the feedback form behind a code and returns the response's id.
   * @param score 0 to 10
   * @throws Error when there is no such code, TypeError for another score
   */
  answerFeedback(qrId: string, score: number): string;
  /** Marks a response resolved in the inbox. @throws Error when there is no such response, or it is already resolved */
  resolveFeedback(responseId: string): void;
  /**
   * Emits any event, with sample data by default.
   * @throws TypeError for an unknown event, or data nested more than 100 levels deep
   */
  emit(type: EventType, data?: Record<string, unknown>): WebhookEvent;
  /** Oldest first. */
  deliveries(): DeliveryRecord[];
  /**
   * Redelivers a delivery, under its own id or a new one, and returns that id.
   * @throws Error when there is no such delivery or its subscription is removed
   */
  redeliver(deliveryId: string, options?: { newDeliveryId?: boolean }): string;
  /** The active ones, with their secrets. */
  subscriptions(): Subscription[];
  /** The latest requests, oldest first. */
  requests(): RequestEntry[];
  /** How many requests there have been in total. */
  requestCount(): number;
  /** Resolves when no delivery is pending or in flight, retries included. */
  settled(): Promise<void>;
  /**
   * Makes the next API requests fail, or, with `times: Infinity`, all of them until the fault is cleared. Each
   * request uses up one fault. Returns the fault's id, for clearing it.
   * @throws TypeError for an unknown preset, or an invalid `times`
   */
  failNext(fault?: Fault): number;
  /** The faults set for requests, with how often each still applies. */
  faults(): SetFault<Fault>[];
  /** Clears one request fault, or all. @throws Error when there is no fault with this id */
  clearFaults(id?: number): void;
  /**
   * Makes the next delivery attempts go wrong, or, with `times: Infinity`, all of them until the fault is cleared.
   * Each attempt uses up one fault. Returns the fault's id, for clearing it.
   * @throws TypeError for an unknown kind, or an invalid `times`
   */
  failDeliveries(fault: DeliveryFault): number;
  /** The faults set for delivery attempts, with how often each still applies. */
  deliveryFaults(): SetFault<DeliveryFault>[];
  /** Clears one delivery fault, or all. @throws Error when there is no fault with this id */
  clearDeliveryFaults(id?: number): void;
  /** How the emulator currently fills what the API text leaves open. */
  wireShape(): Required<WireShape>;
  /** Changes it; points that are missing get their default. @throws TypeError for an unknown point or form */
  setWireShape(shape: WireShape): void;
  /** The emulator's clock: retries, expiry and rate-limit windows follow it. */
  readonly clock: Clock;
  /** Saves the whole state, including the clock and the faults. Valid for this emulator while it runs. */
  snapshot(): Snapshot;
  /** Restores the whole state. The latest 20 snapshots are kept. @throws Error when there is no such snapshot */
  restore(snapshot: Snapshot): void;
  /** Restores the state right after the start. */
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
    emit(type, data) {
      if (!EVENT_TYPES.includes(type))
        throw new TypeError(`There is no event ${type}. Events are: ${EVENT_TYPES.join(', ')}.`);
      if (isDeep(data)) throw new TypeError('The data of an event can have 100 levels at most.');
      return context.emitEvent(type, data ?? structuredClone(EVENTS[type].sampleData));
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

import { EVENT_TYPES, type EventType, type WebhookEvent } from '@qr-service/core';
import type { KeyOptions } from '../config/keyOptions.ts';
import type { Settings } from '../config/options.ts';
import type { WireShape } from '@qr-service/core/shape';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { RecordNotFoundError } from '../domain/RecordNotFoundError.ts';
import { readKey } from '../config/readKey.ts';
import { changeSettings } from '../config/readOptions.ts';
import { readWireShape } from '../config/readWireShape.ts';
import type { DeliveryFault } from '../faults/deliveryFaults.ts';
import type { FaultList, SetFault } from '../faults/faultList.ts';
import type { Fault } from '../faults/requestFaults.ts';
import type { CreatedKey } from '../store/records.ts';
import type { Attempt } from '../store/records.ts';
import type { Delivery } from '../store/records.ts';
import type { QrRecord } from '../store/records.ts';
import type { Subscription } from '../store/records.ts';
import { isStorable } from '../validation/checks.ts';
import { isDeep } from '../validation/isDeep.ts';
import type { Clock } from './clock.ts';
import type { EmulatorContext } from './context.ts';
import type { RequestEntry } from './requestLog.ts';
import type { Snapshot, Snapshots } from './snapshots.ts';

/** A delivery with all its attempts. */
export type DeliveryRecord = Delivery & { attempts: Attempt[] };

/** A delivery that isn't settled, as `settled` names it. */
export type PendingDelivery = Pick<
  Delivery,
  'id' | 'eventType' | 'subscriptionId' | 'url' | 'status' | 'tries' | 'nextAttemptAt'
>;

/** Does what the service's app can do and exposes the emulator's state, for tests and demos. */
export interface Control {
  /** @throws TypeError for invalid options */
  createKey(options?: KeyOptions): CreatedKey;
  /** @throws Error when no active key has this ID */
  revokeKey(id: string): void;
  /** Takes a code offline. @throws Error when the code doesn't exist */
  archive(qrId: string): void;
  /** Deletes a code permanently. @throws Error when the code doesn't exist */
  delete(qrId: string): void;
  /** @throws Error when the code doesn't exist, TypeError for a name that isn't valid Unicode */
  rename(qrId: string, name: string): void;
  /** Unarchives a code, which makes it a draft again. @throws Error when the code doesn't exist */
  unarchive(qrId: string): void;
  /** Approves a code. @throws Error when the code doesn't exist */
  approve(qrId: string): void;
  /** Rejects a code. @throws Error when the code doesn't exist */
  reject(qrId: string): void;
  /**
   * Submits the feedback form behind a code and returns the response's ID.
   * @param score 0 to 10
   * @throws Error when the code doesn't exist, TypeError for any other score
   */
  answerFeedback(qrId: string, score: number): string;
  /** Marks a feedback response as resolved. @throws Error when it doesn't exist or is already resolved */
  resolveFeedback(responseId: string): void;
  /**
   * Emits any event. Data is invented by default: about the latest code that fits, or a sample.
   * @throws TypeError for an unknown event, or data nested more than 100 levels deep
   */
  emit(type: EventType, data?: Record<string, unknown>): WebhookEvent;
  /** Oldest first. */
  deliveries(): DeliveryRecord[];
  /**
   * Redelivers a delivery with its own ID or a new one, and returns that ID.
   * @throws Error when the delivery doesn't exist or its subscription was removed
   */
  redeliver(deliveryId: string, options?: { newDeliveryId?: boolean }): string;
  /** Active subscriptions, with their secrets. */
  subscriptions(): Subscription[];
  /** The latest requests, oldest first. */
  requests(): RequestEntry[];
  /** Total number of requests. */
  requestCount(): number;
  /**
   * Resolves with an empty list when no delivery is pending or in flight, retries included; after `timeoutMs` milliseconds
   * of real time, if given, with the deliveries that still are, in the order of their next attempts.
   */
  settled(options?: { timeoutMs?: number }): Promise<PendingDelivery[]>;
  /**
   * Makes the next API requests fail, or all of them until the fault is cleared if `times` is Infinity. Each request
   * uses up one fault. Returns the fault's ID for `clearFaults`.
   * @throws TypeError for an unknown preset, or an invalid `times`
   */
  failNext(fault?: Fault): number;
  /** Active request faults, with how many times each still applies. */
  faults(): SetFault<Fault>[];
  /** Clears one request fault, or all. @throws Error when no fault has this ID */
  clearFaults(id?: number): void;
  /**
   * Makes the next delivery attempts fail, or all of them until the fault is cleared if `times` is Infinity. Each attempt
   * uses up one fault. Returns the fault's ID for `clearDeliveryFaults`.
   * @throws TypeError for an unknown kind, or an invalid `times`
   */
  failDeliveries(fault: DeliveryFault): number;
  /** Active delivery faults, with how many times each still applies. */
  deliveryFaults(): SetFault<DeliveryFault>[];
  /** Clears one delivery fault, or all. @throws Error when no fault has this ID */
  clearDeliveryFaults(id?: number): void;
  /** The current wire shape. */
  wireShape(): Required<WireShape>;
  /** Replaces the wire shape. Missing points get their default. @throws TypeError for an unknown point or form */
  setWireShape(shape: WireShape): void;
  /** The current settings. */
  settings(): Settings;
  /** Changes the settings that are given, for example `{ lowScoreNotices: false }`. @throws TypeError for an invalid one */
  changeSettings(settings: Partial<Settings>): void;
  /** The emulator's clock: retries, expiry and rate-limit windows follow it. */
  readonly clock: Clock;
  /** Saves the whole state, including the clock and the faults. Only this emulator can restore it, while it runs. */
  snapshot(): Snapshot;
  /** Restores the whole state. The latest 20 snapshots are kept. @throws Error when the snapshot doesn't exist */
  restore(snapshot: Snapshot): void;
  /** Restores the initial state. */
  reset(): void;
}

export function createControl(
  context: EmulatorContext,
  dispatcher: Dispatcher,
  snapshots: Snapshots,
): Control {
  const { store, codes, clock, requestFaults, deliveryFaults, wireShape, settings, now } = context;

  function code(id: string): QrRecord {
    const found = store.qrCodes.find(id);
    if (found === undefined) throw new RecordNotFoundError(`No QR code with ID ${id} was found.`);
    return found;
  }

  function redeliver(deliveryId: string, newDeliveryId: boolean): string {
    const delivery = store.deliveries.find(deliveryId);
    if (delivery === undefined) throw new RecordNotFoundError(`No delivery with ID ${deliveryId} was found.`);
    const { eventId, subscriptionId } = delivery;
    if (store.subscriptions.isRemoved(subscriptionId))
      throw new RecordNotFoundError(
        `Delivery ${deliveryId} can't be redelivered because its subscription was removed.`,
      );
    if (newDeliveryId) return store.deliveries.create(eventId, subscriptionId, now());
    store.deliveries.set(deliveryId, 'pending', 0, now());
    return deliveryId;
  }

  return {
    createKey: (options = {}) => store.apiKeys.create(readKey(options)),
    revokeKey(id) {
      if (!store.apiKeys.revoke(id, now()))
        throw new RecordNotFoundError(`No active API key with ID ${id} was found.`);
    },
    archive: (id) => void codes.archive(code(id), 'app'),
    delete: (id) => codes.delete(code(id), 'app'),
    rename(id, name) {
      const problem = isStorable(name);
      if (problem !== undefined) throw new TypeError(`The name ${problem}.`);
      codes.rename(code(id), name, 'app');
    },
    unarchive: (id) => void codes.restore(code(id), 'app'),
    approve: (id) => void codes.review(code(id), 'approved', 'app'),
    reject: (id) => void codes.review(code(id), 'rejected', 'app'),
    answerFeedback: (id, score) => context.feedback.respond(code(id).id, score).id,
    resolveFeedback: (id) => context.feedback.resolve(id),
    emit(type, data) {
      if (!EVENT_TYPES.includes(type))
        throw new TypeError(`Unknown event ${type}. Use one of: ${EVENT_TYPES.join(', ')}.`);
      if (isDeep(data)) throw new TypeError('Event data can be nested at most 100 levels deep.');
      return context.emitEvent(type, data ?? context.inventEventData(type));
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
    async settled({ timeoutMs } = {}) {
      const left = await dispatcher.settled(timeoutMs);
      return left.map(({ id, eventType, subscriptionId, url, status, tries, nextAttemptAt }) => ({
        id,
        eventType,
        subscriptionId,
        url,
        status,
        tries,
        nextAttemptAt,
      }));
    },
    failNext: (fault = {}) => requestFaults.add(fault),
    faults: () => requestFaults.all(),
    clearFaults: (id) => clear(requestFaults, id),
    failDeliveries: (fault) => deliveryFaults.add(fault),
    deliveryFaults: () => deliveryFaults.all(),
    clearDeliveryFaults: (id) => clear(deliveryFaults, id),
    wireShape: wireShape.current,
    setWireShape: (shape) => wireShape.set(readWireShape(shape)),
    settings: () => ({ ...settings.current() }),
    changeSettings: (given) => settings.set(changeSettings(given, settings.current())),
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
  if (!list.clear(id) && id !== undefined) throw new RecordNotFoundError(`No fault with ID ${id} was found.`);
}

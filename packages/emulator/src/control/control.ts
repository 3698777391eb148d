import { EVENT_TYPES, type EventType, type WebhookEvent } from '@qr-service/core';
import { omitUndefined } from '@qr-service/core/connector';
import type { z } from 'zod';
import { DELIVERY_FAULT, FAULT, type DeliveryFault, type Fault } from '../config/faults.ts';
import { SETTINGS, type Settings } from '../config/options.ts';
import { KEY, type KeyOptions, type NewApiKey } from '../config/seed.ts';
import type { CreatedKey, Delivery, QrRecord, Subscription } from '../store/records.ts';
import type { RequestEntry } from '../store/requestLog.ts';
import { BOOLEAN, DATA, integer, oneOf, text, TIME } from '../validation/checks.ts';
import { fields, readInput, RecordNotFoundError } from '../validation/input.ts';
import type { EmulatorContext } from './context.ts';
import { SCORE, submitFeedback } from './feedback.ts';
import { inventEventData } from './inventEventData.ts';
import type { Snapshot } from './snapshots.ts';

const ID = text(200);
const TEN_MINUTES_MS = 10 * 60 * 1000;

/** The arguments of each method, by name, in order. The clock's methods are `clock.<name>`. */
export const CONTROL_METHODS: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  createKey: { options: KEY.optional() },
  revokeKey: { id: ID },
  archive: { qrId: ID },
  delete: { qrId: ID },
  rename: { qrId: ID, name: text(200) },
  unarchive: { qrId: ID },
  answerFeedback: { qrId: ID, score: SCORE },
  emit: { type: oneOf(EVENT_TYPES), data: DATA.optional() },
  deliveries: {},
  redeliver: { deliveryId: ID, options: fields({ newDeliveryId: BOOLEAN.optional() }).optional() },
  subscriptions: {},
  requests: {},
  requestCount: {},
  settled: { options: fields({ timeoutMs: integer(0, TEN_MINUTES_MS).optional() }).optional() },
  failNext: { fault: FAULT.optional() },
  failDeliveries: { fault: DELIVERY_FAULT },
  clearFaults: {},
  settings: {},
  changeSettings: { settings: DATA },
  'clock.now': {},
  'clock.advance': { ms: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) },
  'clock.set': { time: TIME },
  snapshot: {},
  restore: { snapshot: fields({ id: ID }) },
  reset: {},
};

/** Does what the service's app can do and exposes the emulator's state, for tests and demos. */
export type Control = ReturnType<typeof createControl>;

/** Creates the control of a running emulator. */
export function createControl(context: EmulatorContext) {
  const { database, dispatcher, snapshots, store, codes, clock, requestFaults, deliveryFaults, now } =
    context;

  function code(id: string): QrRecord {
    const found = store.qrCodes.find(id);
    if (found === undefined) throw new RecordNotFoundError(`No QR code with ID ${id} was found.`);
    return found;
  }

  function redeliver(deliveryId: string, newDeliveryId: boolean): string {
    const delivery = store.deliveries.find(deliveryId);
    if (delivery === undefined) throw new RecordNotFoundError(`No delivery with ID ${deliveryId} was found.`);
    const { subscriptionId } = delivery;
    if (store.subscriptions.isRemoved(subscriptionId))
      throw new RecordNotFoundError(
        `Delivery ${deliveryId} can't be redelivered because its subscription was removed.`,
      );
    if (newDeliveryId) return store.deliveries.create(delivery, now());
    store.deliveries.set(deliveryId, 'pending', 0, now());
    return deliveryId;
  }

  return {
    /** @throws InputError for invalid options */
    createKey: (options: KeyOptions = {}): CreatedKey =>
      store.apiKeys.create(readInput(KEY as z.ZodType<NewApiKey>, options)),
    /** @throws Error when no active key has this ID */
    revokeKey(id: string): void {
      if (!store.apiKeys.revoke(id, now()))
        throw new RecordNotFoundError(`No active API key with ID ${id} was found.`);
    },
    /** Takes a code offline. @throws Error when the code doesn't exist */
    archive: (id: string): void => void codes.archive(code(id), 'app'),
    /** Deletes a code permanently. @throws Error when the code doesn't exist */
    delete: (id: string): void => codes.delete(code(id), 'app'),
    /** @throws Error when the code doesn't exist, InputError for a name that the service wouldn't accept */
    rename: (id: string, name: string): void =>
      void codes.rename(code(id), readInput(text(200), name, 'name'), 'app'),
    /** Unarchives a code, which makes it a draft again. @throws Error when the code doesn't exist */
    unarchive: (id: string): void => void codes.restore(code(id), 'app'),
    /**
     * Submits the feedback form behind a code and returns the response's ID.
     * @param score 0 to 10
     * @throws Error when the code doesn't exist, InputError for any other score
     */
    answerFeedback: (id: string, score: number): string => submitFeedback(context, code(id).id, score),
    /**
     * Emits any event. Data is invented by default: about the latest code that fits, or a sample.
     * @throws InputError for an unknown event, or data nested more than 100 levels deep
     */
    emit(type: EventType, data?: Record<string, unknown>): WebhookEvent {
      readInput(oneOf(EVENT_TYPES), type, 'type');
      return context.emitEvent(type, readInput(DATA, data ?? inventEventData(context, type), 'data'));
    },
    /** Oldest first. */
    deliveries: (): Delivery[] => store.deliveries.all(),
    /**
     * Redelivers a delivery with its own ID or a new one, and returns that ID.
     * @throws Error when the delivery doesn't exist or its subscription was removed
     */
    redeliver(deliveryId: string, { newDeliveryId = false }: { newDeliveryId?: boolean } = {}): string {
      const id = redeliver(deliveryId, newDeliveryId);
      dispatcher.wake();
      return id;
    },
    /** Active subscriptions, with their secrets. */
    subscriptions: (): Subscription[] => store.subscriptions.active(),
    /** The latest requests, oldest first. */
    requests: (): RequestEntry[] => [...database.session.requests],
    /** Total number of requests. */
    requestCount: (): number => database.session.requestCount,
    /**
     * Resolves with an empty list when no delivery is pending or in flight, retries included; after `timeoutMs` milliseconds
     * of real time, if given, with the deliveries that still are, in the order of their next attempts.
     */
    settled: ({ timeoutMs }: { timeoutMs?: number } = {}): Promise<Delivery[]> =>
      dispatcher.settled(timeoutMs),
    /** Makes the next API requests fail; each uses up one fault. @throws InputError for an invalid fault */
    failNext: (fault: Fault = {}): void => requestFaults.add(fault),
    /** Makes the next delivery attempts fail; each uses up one fault. @throws InputError for an invalid fault */
    failDeliveries: (fault: DeliveryFault): void => deliveryFaults.add(fault),
    /** Clears all request and delivery faults. */
    clearFaults(): void {
      requestFaults.clear();
      deliveryFaults.clear();
    },
    /** The current settings. */
    settings: (): Settings => ({ ...database.session.settings }),
    /** Changes the settings that are given, for example `{ lowScoreNotices: false }`. @throws InputError for an invalid one */
    changeSettings(given: Partial<Settings>): void {
      const changed = { ...database.session.settings, ...omitUndefined(given) };
      database.session.settings = readInput(SETTINGS as z.ZodType<Settings>, changed);
    },
    /** The emulator's clock: retries, expiry and rate-limit windows follow it. Once moved, it runs on from the new time. */
    clock: {
      /** Milliseconds since the epoch. */
      now: clock.now,
      /** @throws TypeError unless `ms` is a whole number and the result is in the clock's range */
      advance(ms: number): void {
        clock.advance(ms);
        dispatcher.wake();
      },
      /**
       * @param time ISO 8601, milliseconds since the epoch or a Date
       * @throws TypeError for an invalid time, or one outside the clock's range
       */
      set(time: string | number | Date): void {
        clock.set(time);
        dispatcher.wake();
      },
    },
    /** Saves the whole state, including the clock and the faults. Only this emulator can restore it, while it runs. */
    snapshot: (): Snapshot => snapshots.take(),
    /** Restores the whole state. The latest 20 snapshots are kept. @throws Error when the snapshot doesn't exist */
    restore: (snapshot: Snapshot): void => snapshots.restore(snapshot),
    /** Restores the initial state. */
    reset: (): void => snapshots.reset(),
  };
}

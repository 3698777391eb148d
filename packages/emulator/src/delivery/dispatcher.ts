import type { DeliveryFaultKind, DeliveryFaults } from '../faults/deliveryFaults.ts';
import type { Attempt } from '../store/records.ts';
import type { Delivery, DeliveryStatus } from '../store/records.ts';
import type { Store } from '../store/index.ts';
import type { Subscription } from '../store/records.ts';
import { backoff } from './backoff.ts';
import { composeAttempt } from './composeAttempt.ts';
import { createFaultInjector } from './faultInjector.ts';
import type { Poster } from './post.ts';

/** Concurrent attempts per subscription. */
const CONCURRENCY = 8;
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long, in milliseconds, an `out of order` delivery waits for the next one. */
const HOLD_MS = 1_000;

/** Sends the store's pending deliveries, and retries each one until it is delivered or has no retries left. */
export interface Dispatcher {
  /** Schedules a check for due deliveries. Call after adding some, even inside the transaction that adds them. */
  wake: () => void;
  /**
   * Resolves when nothing is pending or in flight, retries included, or after this time, with what is.
   * @param timeoutMs milliseconds of real time
   */
  settled(timeoutMs?: number): Promise<Delivery[]>;
  /** Starts over from the store's current state and drops the attempts in flight. */
  restart: () => void;
  /** Stops immediately. Attempts in flight aren't recorded. */
  stop(): void;
}

interface DispatcherOptions {
  store: Store;
  poster: Poster;
  faults: DeliveryFaults;
  now: () => number;
  retryBaseMs: number;
  /** Settled deliveries that the store keeps. */
  deliveriesKept: number;
  /** Called after each attempt. */
  report: (attempt: DeliveryReport) => void;
}

/** One attempt of a delivery, for the log. */
export interface DeliveryReport extends Pick<Attempt, 'durationMs' | 'status' | 'error' | 'fault'> {
  /** Milliseconds since the epoch. */
  at: number;
  deliveryId: string;
  eventId: string;
  eventType: string;
  url: string;
  /** Counts from 1 since the delivery was queued. */
  attempt: number;
  /** Status of the delivery after the attempt. */
  state: DeliveryStatus;
  /** What to do if the receiver can't be reached; null if it can. */
  hint: string | null;
}

/** The queue is the database itself, so the next start resumes where this one stopped. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, poster, faults, now, retryBaseMs, deliveriesKept, report } = options;
  const { deliveries, attempts, subscriptions } = store;
  const faultInjector = createFaultInjector(faults);
  const waiters = new Set<() => void>();
  let inFlight = new Map<string, number>();
  let settledSincePrune = 0;
  let stopped = false;
  let scheduled: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;

  resumePending();

  function resumePending(): void {
    deliveries.resume();
    deliveries.keepLatest(deliveriesKept);
  }

  function wake(): void {
    if (stopped) return;
    scheduled ??= setImmediate(sendDue);
  }

  function sendDue(): void {
    scheduled = undefined;
    // Read the clock once: a delivery that becomes due between two reads would be in neither result.
    const moment = now();
    const { due, next } = deliveries.due(moment);
    for (const delivery of due) {
      const subscription = subscriptions.find(delivery.subscriptionId);
      if (subscription !== undefined && (inFlight.get(subscription.id) ?? 0) < CONCURRENCY)
        startAttempt(delivery, subscription);
    }
    clearTimeout(timer);
    if (next !== undefined) timer = setTimeout(wake, Math.min(Math.max(next - moment, 1), MAX_TIMER_MS));
    if (deliveries.settled()) resolveWaiters();
  }

  function startAttempt(delivery: Delivery, subscription: Subscription): void {
    const fault = faultInjector.faultFor(delivery);
    if (fault === 'out of order') {
      deliveries.set(delivery.id, 'pending', delivery.tries, now() + HOLD_MS);
      return;
    }
    if (fault === 'second delivery id') {
      faultInjector.exemptNextAttempt(deliveries.create(delivery.eventId, subscription.id, now()));
      wake();
    }
    void send(delivery, subscription, fault);
  }

  async function send(
    delivery: Delivery,
    { id: subscriptionId, secret }: Subscription,
    fault: DeliveryFaultKind | undefined,
  ): Promise<void> {
    const startedAt = now();
    const firstHeaders = () => attempts.of(delivery.id)[0]?.headers;
    const { headers, body } = composeAttempt(delivery, secret, startedAt, fault, firstHeaders);
    deliveries.set(delivery.id, 'sending', delivery.tries, delivery.nextAttemptAt);
    const ownInFlight = inFlight;
    ownInFlight.set(subscriptionId, (ownInFlight.get(subscriptionId) ?? 0) + 1);
    const timeOutOnceSent = fault === 'receiver time-out';
    const {
      status,
      error,
      hint = null,
    } = await poster.post({ url: delivery.url, headers, body, timeOutOnceSent });
    if (stopped || ownInFlight !== inFlight) return;
    ownInFlight.set(subscriptionId, (ownInFlight.get(subscriptionId) ?? 1) - 1);
    const durationMs = now() - startedAt;
    const sentBody = body === delivery.body ? null : body;
    attempts.record(delivery.id, {
      startedAt,
      durationMs,
      status,
      error,
      headers,
      fault: fault ?? null,
      sentBody,
    });
    recordOutcome(delivery, status !== null && status >= 200 && status < 300, fault);
    report({
      at: startedAt,
      durationMs,
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      eventType: delivery.eventType,
      url: delivery.url,
      attempt: delivery.tries + 1,
      status,
      error,
      fault: fault ?? null,
      state: deliveries.find(delivery.id)?.status ?? 'canceled',
      hint,
    });
    wake();
  }

  function recordOutcome(
    delivery: Delivery,
    acknowledged: boolean,
    fault: DeliveryFaultKind | undefined,
  ): void {
    const { id, subscriptionId } = delivery;
    const tries = delivery.tries + 1;
    const wait = backoff(tries, retryBaseMs);
    const isLost = fault === 'duplicate' || (fault === 'first signature' && tries === 1);
    const settle = (status: 'delivered' | 'failed' | 'canceled') => {
      deliveries.set(id, status, tries, now());
      faultInjector.forget(id);
      pruneHistory();
    };

    if (acknowledged && !isLost) settle('delivered');
    else if (wait === undefined) settle('failed');
    else if (subscriptions.isRemoved(subscriptionId)) settle('canceled');
    else if (acknowledged && fault === 'duplicate') {
      faultInjector.exemptNextAttempt(id);
      deliveries.set(id, 'pending', tries, now());
    } else deliveries.set(id, 'pending', tries, now() + wait);

    const waiting = faultInjector.releaseOvertaken(delivery);
    const overtaken = waiting === undefined ? undefined : deliveries.find(waiting);
    if (overtaken?.status === 'pending') deliveries.set(overtaken.id, 'pending', overtaken.tries, now());
  }

  /** Prunes only occasionally, because pruning scans the whole history. */
  function pruneHistory(): void {
    settledSincePrune += 1;
    if (settledSincePrune < deliveriesKept / 20) return;
    settledSincePrune = 0;
    deliveries.keepLatest(deliveriesKept);
  }

  function resolveWaiters(): void {
    for (const resolve of waiters) resolve();
    waiters.clear();
  }

  return {
    wake,
    settled: (timeoutMs) =>
      new Promise((resolve) => {
        if (stopped) {
          resolve([]);
          return;
        }
        const giveUp = () => {
          waiters.delete(done);
          resolve(deliveries.unsettled());
        };
        const patience = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
        const done = () => {
          clearTimeout(patience);
          resolve([]);
        };
        waiters.add(done);
        wake();
      }),
    restart() {
      inFlight = new Map();
      faultInjector.forgetAll();
      poster.abort();
      resumePending();
      wake();
    },
    stop() {
      stopped = true;
      clearImmediate(scheduled);
      clearTimeout(timer);
      poster.close();
      resolveWaiters();
    },
  };
}

import { LIMITS } from '@qr-service/core/connector';
import type { DeliveryFaultKind } from '../config/faults.ts';
import type { DeliveryFaults } from '../store/faults.ts';
import type { Store } from '../store/index.ts';
import type { Delivery, Subscription } from '../store/records.ts';
import { composeAttempt } from './attempt.ts';
import type { Poster } from './post.ts';

/** Concurrent attempts per subscription. */
const CONCURRENCY = 8;
const MAX_TIMER_MS = 2 ** 31 - 1;

interface DispatcherOptions {
  store: Store;
  poster: Poster;
  faults: DeliveryFaults;
  now: () => number;
  retryBaseMs: number;
  /** Called with a line for each attempt. */
  log: (line: string) => void;
}

/**
 * Sends the store's pending deliveries, and retries each one until it is delivered or has no retries left. The queue is the
 * store itself, so the next start resumes where this one stopped.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { store, poster, faults, now, retryBaseMs, log } = options;
  const { deliveries, subscriptions } = store;
  /** Deliveries whose next attempt gets no fault, because a fault caused it. */
  let exempt = new Set<string>();
  let inFlight = new Map<string, number>();
  let stopped = false;
  let scheduled: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  const waiters = new Set<() => void>();

  deliveries.resume();

  function wake(): void {
    if (stopped) return;
    scheduled ??= setImmediate(sendDue);
  }

  function sendDue(): void {
    scheduled = undefined;
    const moment = now();
    const { due, next } = deliveries.due(moment);
    for (const delivery of due) {
      const subscription = subscriptions.find(delivery.subscriptionId);
      if (subscription !== undefined && (inFlight.get(subscription.id) ?? 0) < CONCURRENCY)
        startAttempt(delivery, subscription);
    }
    clearTimeout(timer);
    if (next !== undefined) timer = setTimeout(wake, Math.min(Math.max(next - moment, 1), MAX_TIMER_MS));
    if (!deliveries.settled()) return;
    for (const resolve of waiters) resolve();
    waiters.clear();
  }

  function startAttempt(delivery: Delivery, subscription: Subscription): void {
    const fault = exempt.delete(delivery.id) ? undefined : faults.take(() => true)?.kind;
    if (fault === 'second delivery id') {
      exempt.add(deliveries.create(delivery, now()));
      wake();
    }
    void send(delivery, subscription, fault);
  }

  async function send(
    delivery: Delivery,
    { id: subscriptionId, secret }: Subscription,
    fault: DeliveryFaultKind | undefined,
  ): Promise<void> {
    const { id, url, eventType, tries } = delivery;
    const startedAt = now();
    const { headers, body } = composeAttempt(delivery, secret, startedAt, fault);
    deliveries.set(id, 'sending', tries, delivery.nextAttemptAt);
    const ownInFlight = inFlight;
    ownInFlight.set(subscriptionId, (ownInFlight.get(subscriptionId) ?? 0) + 1);
    const { status, error, hint } = await poster.post({ url, headers, body });
    if (stopped || ownInFlight !== inFlight) return;
    ownInFlight.set(subscriptionId, (ownInFlight.get(subscriptionId) ?? 1) - 1);
    deliveries.recordAttempt(id, {
      startedAt,
      durationMs: now() - startedAt,
      status,
      error,
      headers,
      fault: fault ?? null,
      sentBody: body === delivery.body ? null : body,
    });
    recordOutcome(delivery, status !== null && status >= 200 && status < 300, fault);
    const outcome = `delivery ${id} ${eventType} → ${status ?? error ?? 'no response'}`;
    log(hint === undefined || tries > 0 ? outcome : `${outcome}. ${hint}`);
    wake();
  }

  function recordOutcome(
    { id, subscriptionId, ...delivery }: Delivery,
    acknowledged: boolean,
    fault: DeliveryFaultKind | undefined,
  ): void {
    const tries = delivery.tries + 1;
    const isSettled = acknowledged && fault !== 'duplicate';
    if (isSettled || tries > LIMITS.maxDeliveryRetries)
      deliveries.set(id, isSettled ? 'delivered' : 'failed', tries, now());
    else if (subscriptions.isRemoved(subscriptionId)) deliveries.set(id, 'canceled', tries, now());
    else {
      // Up to six retries with exponential backoff (docs/api.md#deliveries).
      deliveries.set(id, 'pending', tries, now() + (acknowledged ? 0 : retryBaseMs * 2 ** (tries - 1)));
      if (acknowledged) exempt.add(id);
    }
  }

  return {
    /** Schedules a check for due deliveries. Call after adding some. */
    wake,
    /**
     * Resolves when no delivery is pending or in flight, retries included, or after this time with those that still are.
     * @param timeoutMs milliseconds of real time
     */
    settled: (timeoutMs?: number): Promise<Delivery[]> =>
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
    /** Starts over from the store's current state and drops the attempts in flight. */
    restart(): void {
      inFlight = new Map();
      exempt = new Set();
      poster.abort();
      deliveries.resume();
      wake();
    },
    /** Stops immediately. Attempts in flight aren't recorded. */
    stop(): void {
      stopped = true;
      clearImmediate(scheduled);
      clearTimeout(timer);
      poster.close();
      for (const resolve of waiters) resolve();
      waiters.clear();
    },
  };
}

import type { Delivery } from '../store/deliveries.ts';
import type { Store } from '../store/index.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { backoff } from './backoff.ts';
import type { Poster } from './post.ts';
import { signedHeaders } from './signedHeaders.ts';

/** Attempts under way to one subscription at a time. */
const CONCURRENCY = 8;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Sends what the store holds as pending, and goes on sending it until it is through or given up. */
export interface Dispatcher {
  /** Looks for what is due. Call after adding deliveries; what the caller's transaction adds is seen too. */
  wake: () => void;
  /** Resolves when nothing is pending or under way, retries included. */
  settled(): Promise<void>;
  /** Ends at once. What was under way counts as not tried. */
  stop(): void;
}

export interface DispatcherOptions {
  store: Store;
  poster: Poster;
  now: () => number;
  retryBaseMs: number;
  log: (line: string) => void;
}

/** The queue is the database itself, so a restart goes on where this one stopped. */
export function createDispatcher({ store, poster, now, retryBaseMs, log }: DispatcherOptions): Dispatcher {
  const { deliveries, attempts, subscriptions } = store;
  const sending = new Map<string, number>();
  const waiters = new Set<() => void>();
  let stopped = false;
  let soon: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;

  deliveries.resume();

  function wake(): void {
    if (stopped) return;
    soon ??= setImmediate(pump);
  }

  function pump(): void {
    soon = undefined;
    for (const subscription of subscriptions.active()) {
      const free = CONCURRENCY - (sending.get(subscription.id) ?? 0);
      if (free <= 0) continue;
      for (const delivery of deliveries.due(subscription.id, now(), free)) void send(delivery, subscription);
    }
    clearTimeout(timer);
    const next = deliveries.nextDue(now());
    if (next !== null) timer = setTimeout(wake, Math.min(Math.max(next - now(), 1), LONGEST_TIMER_MS));
    if (deliveries.settled()) release();
  }

  async function send(delivery: Delivery, { id: subscriptionId, secret }: Subscription): Promise<void> {
    const startedAt = now();
    const headers = signedHeaders(delivery, secret, startedAt);
    deliveries.set(delivery.id, 'sending', delivery.tries, delivery.nextAttemptAt);
    sending.set(subscriptionId, (sending.get(subscriptionId) ?? 0) + 1);
    const { status, error } = await poster.post({ url: delivery.url, headers, body: delivery.body });
    if (stopped) return;
    sending.set(subscriptionId, (sending.get(subscriptionId) ?? 1) - 1);
    store.transaction(() => {
      attempts.record(delivery.id, { startedAt, durationMs: now() - startedAt, status, error, headers });
      settle(delivery, status !== null && status >= 200 && status < 300);
    });
    log(`delivery ${delivery.id} ${delivery.eventType} → ${status ?? error}`);
    wake();
  }

  function settle(delivery: Delivery, acknowledged: boolean): void {
    const tries = delivery.tries + 1;
    const wait = backoff(tries, retryBaseMs);
    if (acknowledged) deliveries.set(delivery.id, 'delivered', tries, now());
    else if (wait === undefined) deliveries.set(delivery.id, 'failed', tries, now());
    else if (subscriptions.isRemoved(delivery.subscriptionId))
      deliveries.set(delivery.id, 'cancelled', tries, now());
    else deliveries.set(delivery.id, 'pending', tries, now() + wait);
  }

  function release(): void {
    for (const resolve of waiters) resolve();
    waiters.clear();
  }

  return {
    wake,
    settled: () =>
      new Promise((resolve) => {
        if (stopped) resolve();
        else waiters.add(resolve);
        wake();
      }),
    stop() {
      stopped = true;
      clearImmediate(soon);
      clearTimeout(timer);
      poster.close();
      release();
    },
  };
}

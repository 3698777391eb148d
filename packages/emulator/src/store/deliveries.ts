import type { Database } from './database.ts';
import { toRecord } from './toRecord.ts';

/** `canceled`: its subscription was removed before it was delivered. */
export type DeliveryStatus = 'pending' | 'sending' | 'delivered' | 'failed' | 'canceled';

/** The delivery of an event to one subscription. */
export interface Delivery {
  /** Sequence number in the history. */
  seq: number;
  id: string;
  eventId: string;
  eventType: string;
  subscriptionId: string;
  url: string;
  status: DeliveryStatus;
  /** Attempts since it was last queued. A redelivery starts at 0. */
  tries: number;
  /** Milliseconds since the epoch. */
  nextAttemptAt: number;
  /** The bytes that are signed and sent. */
  body: string;
}

/** Which deliveries to list. Default: all. */
export interface DeliveryFilter {
  status?: string | undefined;
  /** Event type. */
  type?: string | undefined;
  /** Part of its ID, its URL or its event, in any case. */
  text?: string | undefined;
}

const SELECT = `SELECT d.*, e.type AS event_type, e.body, s.url FROM deliveries d
  JOIN events e ON e.id = d.event_id JOIN subscriptions s ON s.id = d.subscription_id`;

/** Deliveries (API text, "Delivery and retry"). */
export function deliveryTable({ sqlite, ids }: Database) {
  // SQLite's own lower() knows only ASCII.
  sqlite.function('has_text', { deterministic: true }, (text, part) =>
    Number(String(text).toLowerCase().includes(String(part))),
  );
  const insert = sqlite.prepare(
    `INSERT INTO deliveries (id, event_id, subscription_id, status, tries, next_attempt_at)
     VALUES (?, ?, ?, 'pending', 0, ?)`,
  );
  const setState = sqlite.prepare(
    'UPDATE deliveries SET status = ?, tries = ?, next_attempt_at = ? WHERE id = ?',
  );
  const cancel = sqlite.prepare(
    "UPDATE deliveries SET status = 'canceled' WHERE subscription_id = ? AND status = 'pending'",
  );
  const resume = sqlite.prepare("UPDATE deliveries SET status = 'pending' WHERE status = 'sending'");
  const byId = sqlite.prepare(`${SELECT} WHERE d.id = ?`);
  const all = sqlite.prepare(`${SELECT} ORDER BY d.seq`);
  const latest = sqlite.prepare(
    `${SELECT} WHERE d.seq < :before
       AND (:status IS NULL OR d.status = :status) AND (:type IS NULL OR e.type = :type)
       AND (:text IS NULL OR has_text(d.id || ' ' || s.url || ' ' || e.body, :text))
     ORDER BY d.seq DESC LIMIT :count`,
  );
  const due = sqlite.prepare(
    `${SELECT} WHERE d.subscription_id = ? AND d.status = 'pending' AND d.next_attempt_at <= ?
     ORDER BY d.next_attempt_at, d.seq LIMIT ?`,
  );
  const nextDue = sqlite.prepare(
    "SELECT min(next_attempt_at) AS next FROM deliveries WHERE status = 'pending' AND next_attempt_at > ?",
  );
  const waiting = sqlite.prepare(
    `${SELECT} WHERE d.status IN ('pending', 'sending') ORDER BY d.next_attempt_at, d.seq`,
  );
  const unsettled = sqlite.prepare("SELECT 1 FROM deliveries WHERE status IN ('pending', 'sending') LIMIT 1");

  return {
    create(eventId: string, subscriptionId: string, at: number): string {
      const id = ids.newId('dlv');
      insert.run(id, eventId, subscriptionId, at);
      return id;
    },
    set(id: string, status: DeliveryStatus, tries: number, nextAttemptAt: number): void {
      setState.run(status, tries, nextAttemptAt, id);
    },
    /** Cancels the pending deliveries to a subscription. */
    cancel: (subscriptionId: string): void => void cancel.run(subscriptionId),
    /** Makes deliveries that were in flight when the emulator stopped pending again. */
    resume: (): void => void resume.run(),
    find(id: string): Delivery | undefined {
      const row = byId.get(id);
      return row === undefined ? undefined : (toRecord(row) as Delivery);
    },
    /** Oldest first. */
    all: (): Delivery[] => all.all().map(toRecord) as Delivery[],
    /** Newest first, starting before this sequence number. */
    latest: (before: number, count: number, filter: DeliveryFilter = {}): Delivery[] => {
      const { status = null, type = null, text } = filter;
      return latest
        .all({ before, count, status, type, text: text?.toLowerCase() ?? null })
        .map(toRecord) as Delivery[];
    },
    /** The deliveries to a subscription that are due, in order. */
    due: (subscriptionId: string, now: number, count: number): Delivery[] =>
      due.all(subscriptionId, now, count).map(toRecord) as Delivery[],
    /** When the next attempt after `now` is due. */
    nextDue: (now: number): number | null => nextDue.get(now)?.['next'] as number | null,
    /** Everything that is pending or in flight, in the order of the next attempts. */
    unsettled: (): Delivery[] => waiting.all().map(toRecord) as Delivery[],
    /** Whether nothing is pending or in flight. */
    settled: (): boolean => unsettled.get() === undefined,
  };
}

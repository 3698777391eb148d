import type { EventType } from '@qr-service/core';
import type { Database } from './database.ts';

/** A webhook subscription (API text, "Webhook subscription"). */
export interface Subscription {
  id: string;
  url: string;
  eventTypes: readonly EventType[];
  /** Signs its deliveries. */
  secret: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** Webhook subscriptions. A removed one stays in the table, because its deliveries refer to it. */
export function subscriptionTable({ sqlite, ids }: Database) {
  const insert = sqlite.prepare(
    'INSERT INTO subscriptions (id, url, event_types, secret, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = sqlite.prepare(
    'UPDATE subscriptions SET removed_at = ? WHERE id = ? AND removed_at IS NULL',
  );
  const byId = sqlite.prepare('SELECT * FROM subscriptions WHERE id = ?');
  const active = sqlite.prepare('SELECT * FROM subscriptions WHERE removed_at IS NULL ORDER BY rowid');

  return {
    create(
      url: string,
      eventTypes: readonly EventType[],
      createdAt: number,
      secret = ids.newSecret('whsec'),
    ): Subscription {
      const subscription = { id: ids.newId('whk'), url, eventTypes, secret, createdAt };
      const { id } = subscription;
      insert.run(id, url, JSON.stringify(eventTypes), secret, createdAt);
      return subscription;
    },
    /** Returns whether an active subscription had this ID. */
    remove: (id: string, at: number): boolean => remove.run(at, id).changes === 1,
    isRemoved: (id: string): boolean => typeof byId.get(id)?.['removed_at'] === 'number',
    /** Finds removed subscriptions, too. */
    find(id: string): Subscription | undefined {
      const row = byId.get(id);
      return row === undefined ? undefined : subscription(row);
    },
    /** Subscriptions that aren't removed, oldest first. */
    active: (): Subscription[] => active.all().map(subscription),
  };
}

function subscription(row: Record<string, unknown>): Subscription {
  return {
    id: row['id'] as string,
    url: row['url'] as string,
    eventTypes: JSON.parse(row['event_types'] as string) as EventType[],
    secret: row['secret'] as string,
    createdAt: row['created_at'] as number,
  };
}

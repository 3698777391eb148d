import type { WebhookEvent } from '@qr-service/core';
import type { Database } from './database.ts';

/** Events that are delivered to a subscription, each with the exact bytes that are signed and sent. */
export function eventTable({ sqlite }: Database) {
  const insert = sqlite.prepare('INSERT INTO events (id, type, occurred_at, body) VALUES (?, ?, ?, ?)');
  return {
    insert(event: WebhookEvent): void {
      insert.run(event.id, event.type, Date.parse(event.occurredAt), JSON.stringify(event));
    },
  };
}

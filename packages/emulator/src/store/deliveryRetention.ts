import type { Database } from './database.ts';

const SETTLED = "status NOT IN ('pending', 'sending')";

/** Keeps the delivery history from growing forever. */
export function deliveryRetention({ sqlite, transaction }: Database) {
  const firstBeyond = sqlite.prepare(
    `SELECT seq FROM deliveries WHERE ${SETTLED} ORDER BY seq DESC LIMIT 1 OFFSET ?`,
  );
  const removeAttempts = sqlite.prepare(
    `DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE seq <= ? AND ${SETTLED})`,
  );
  const remove = sqlite.prepare(`DELETE FROM deliveries WHERE seq <= ? AND ${SETTLED} RETURNING event_id`);
  const removeEvent = sqlite.prepare(
    'DELETE FROM events WHERE id = :id AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = :id)',
  );
  const removeSubscriptions = sqlite.prepare(
    `DELETE FROM subscriptions WHERE removed_at IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM deliveries WHERE subscription_id = subscriptions.id)`,
  );

  return {
    /**
     * Deletes settled deliveries older than the latest `count`, together with their attempts and with events and removed
     * subscriptions that no other delivery needs. Keeps pending deliveries.
     */
    keepLatest: (count: number): void =>
      transaction(() => {
        const seq = firstBeyond.get(count)?.['seq'];
        if (typeof seq !== 'number') return;
        removeAttempts.run(seq);
        for (const { event_id: id } of remove.all(seq)) removeEvent.run({ id: id as string });
        removeSubscriptions.run();
      }),
  };
}

import type { Database } from './database.ts';

/** How much the store holds. */
export interface Counts {
  codes: number;
  subscriptions: number;
  deliveries: number;
  scans: number;
}

/** Counts what the store holds, and its changes. */
export function counter({ sqlite }: Database) {
  const count = sqlite.prepare(
    `SELECT (SELECT count(*) FROM qr_codes) AS codes,
            (SELECT count(*) FROM subscriptions WHERE removed_at IS NULL) AS subscriptions,
            (SELECT count(*) FROM deliveries) AS deliveries,
            (SELECT count(*) FROM scans) AS scans`,
  );
  const changes = sqlite.prepare('SELECT total_changes() AS changes');
  return {
    now: (): Counts => ({ ...(count.get() as unknown as Counts) }),
    /** Rows written since the start. If it hasn't changed, nothing in the store has. */
    changes: (): number => changes.get()?.['changes'] as number,
  };
}

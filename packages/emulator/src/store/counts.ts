import type { Database } from './database.ts';

/** Number of records in the store. */
export interface Counts {
  codes: number;
  subscriptions: number;
  deliveries: number;
  scans: number;
}

/** Counts the store's records and changes. */
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
    /** Rows written since the start. While it stays the same, the store is unchanged. */
    changes: (): number => changes.get()?.['changes'] as number,
  };
}

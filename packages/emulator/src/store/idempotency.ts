import { LIMITS } from '@qr-service/core/connector';
import type { Database } from './database.ts';

const LIFETIME_MS = LIMITS.idempotencyHours * 60 * 60 * 1000;

/** The first response to a request that carried an Idempotency-Key. */
export interface StoredResponse {
  /** Hash of the request's input. */
  fingerprint: string;
  status: number;
  /** JSON; null for none. */
  body: string | null;
}

/** Responses for replay, by API key and Idempotency-Key (API text, "Limits", 3). */
export function idempotencyTable({ sqlite }: Database, now: () => number) {
  const find = sqlite.prepare(
    `SELECT fingerprint, status, body FROM idempotency
     WHERE api_key_id = ? AND idempotency_key = ? AND created_at > ?`,
  );
  const save = sqlite.prepare(
    `INSERT OR REPLACE INTO idempotency (api_key_id, idempotency_key, fingerprint, status, body, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const forget = sqlite.prepare('DELETE FROM idempotency WHERE created_at <= ?');
  return {
    find(apiKeyId: string, key: string): StoredResponse | undefined {
      const row = find.get(apiKeyId, key, now() - LIFETIME_MS);
      if (row === undefined) return undefined;
      return {
        fingerprint: row['fingerprint'] as string,
        status: row['status'] as number,
        body: row['body'] as string | null,
      };
    },
    save(apiKeyId: string, key: string, { fingerprint, status, body }: StoredResponse): void {
      forget.run(now() - LIFETIME_MS);
      save.run(apiKeyId, key, fingerprint, status, body, now());
    },
  };
}

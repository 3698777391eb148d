import { createHash } from 'node:crypto';
import type { Scope } from '@qr-service/core';
import type { NewApiKey } from '../config/readKey.ts';
import type { Database } from './database.ts';

/** A stored key. Only the SHA-256 of its secret is stored. */
export interface ApiKey {
  id: string;
  name: string;
  scopes: readonly Scope[];
  /** Milliseconds since the epoch. */
  expiresAt: number | null;
  revokedAt: number | null;
  /** Addresses or CIDR ranges; null allows every address. */
  allowedAddresses: readonly string[] | null;
}

/** A newly created key. */
export interface CreatedKey {
  id: string;
  /** The secret. It is returned only once. */
  apiKey: string;
}

/** Keys (API text, "Authentication"). */
export function apiKeyTable({ sqlite, ids }: Database) {
  const insert = sqlite.prepare(
    `INSERT INTO api_keys (id, hash, name, scopes, expires_at, allowed_addresses) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET name = excluded.name, scopes = excluded.scopes,
       expires_at = excluded.expires_at, allowed_addresses = excluded.allowed_addresses, revoked_at = NULL
     RETURNING id`,
  );
  const byHash = sqlite.prepare('SELECT * FROM api_keys WHERE hash = ?');
  const all = sqlite.prepare('SELECT * FROM api_keys ORDER BY rowid DESC');
  const revoke = sqlite.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');

  return {
    /** Adds a key and returns its secret, which can't be read again. If the secret exists, updates its settings. */
    create(created: NewApiKey): CreatedKey {
      const apiKey = created.apiKey ?? ids.newSecret('qrs');
      const { name, expiresAt, allowedAddresses } = created;
      const allowed = allowedAddresses === null ? null : JSON.stringify(allowedAddresses);
      const scopes = JSON.stringify(created.scopes);
      const row = insert.get(ids.newId('key'), hash(apiKey), name, scopes, expiresAt, allowed);
      return { id: row?.['id'] as string, apiKey };
    },
    /** The key with this secret, even if it is revoked or expired. */
    find(apiKey: string): ApiKey | undefined {
      const row = byHash.get(hash(apiKey));
      return row === undefined ? undefined : key(row);
    },
    /** All keys, even revoked and expired ones, newest first. */
    all: (): ApiKey[] => all.all().map(key),
    /** Returns whether an active key had this ID. */
    revoke: (id: string, at: number): boolean => revoke.run(at, id).changes === 1,
  };
}

function key(row: Record<string, unknown>): ApiKey {
  const allowed = row['allowed_addresses'] as string | null;
  return {
    id: row['id'] as string,
    name: row['name'] as string,
    scopes: JSON.parse(row['scopes'] as string) as Scope[],
    expiresAt: row['expires_at'] as number | null,
    revokedAt: row['revoked_at'] as number | null,
    allowedAddresses: allowed === null ? null : (JSON.parse(allowed) as string[]),
  };
}

function hash(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

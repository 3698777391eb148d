import { createHmac, randomBytes } from 'node:crypto';
import type { Database } from './state.ts';

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Generates the ids, secrets and slugs of one emulator. */
export type Ids = ReturnType<typeof createIds>;

/**
 * Random IDs or, with a seed, reproducible ones. Every prefix has its own sequence, so that an additional request doesn't
 * change the IDs of codes.
 */
export function createIds(database: Database, seed: string | undefined) {
  function bytes(prefix: string, size: number): Buffer {
    if (seed === undefined) return randomBytes(size);
    const { idCounts } = database.state;
    const count = (idCounts.get(prefix) ?? 0) + 1;
    idCounts.set(prefix, count);
    return createHmac('sha256', seed).update(`${prefix} ${count}`).digest().subarray(0, size);
  }

  return {
    /** A new record id, for example `qr_V1StGXR8Z5jdHi6B`. */
    newId: (prefix: string) =>
      `${prefix}_${bytes(prefix, 12).toString('base64url').replaceAll(/[-_]/g, 'x')}`,
    /** A new API key or signing secret, for example `whsec_…`, of 32 bytes. */
    newSecret: (prefix: string) => `${prefix}_${bytes(prefix, 32).toString('base64url')}`,
    /** A slug of the name plus a short suffix (docs/api.md#qr-codes). */
    newSlug(name: string): string {
      // The alphabet has 32 letters, so each one is equally likely.
      const suffix = [...bytes('slug', 6)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
      return `${slugWords(name) || 'code'}-${suffix}`;
    },
  };
}

function slugWords(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|(?<!-)-+$/g, '');
}

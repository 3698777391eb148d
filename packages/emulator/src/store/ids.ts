import { createHmac, randomBytes } from 'node:crypto';

/** Bytes fetched at a time: each call on the system costs more than what it brings. */
const POOL_SIZE = 4096;
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Makes the ids, secrets and slugs of one emulator. */
export interface Ids {
  /** A new record id, e.g. `qr_V1StGXR8Z5jdHi6B`. */
  newId(prefix: string): string;
  /** A new API key or signing secret, e.g. `whsec_…`, of 32 bytes. */
  newSecret(prefix: string): string;
  /** A slug of the name plus a short suffix (API text, "QR code summary"). */
  newSlug(name: string): string;
  /** Remembers how far the sequences are, and returns what puts them back there. */
  save(): () => void;
}

/**
 * Random ids, or, with a seed, the same ones each time: every prefix has a sequence of its own, so that one more
 * request does not change the ids of the codes.
 * @param start counts the starts on the same database, which are not to repeat each other's ids
 */
export function createIds(seed: string | undefined, start: number): Ids {
  let counts = new Map<string, number>();
  const random = randomPool();

  function bytes(prefix: string, size: number): Buffer {
    if (seed === undefined) return random(size);
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    const key = JSON.stringify([seed, start]);
    return createHmac('sha256', key).update(`${prefix} ${count}`).digest().subarray(0, size);
  }

  return {
    newId: (prefix) => `${prefix}_${bytes(prefix, 12).toString('base64url').replaceAll(/[-_]/g, 'x')}`,
    newSecret: (prefix) => `${prefix}_${bytes(prefix, 32).toString('base64url')}`,
    newSlug(name) {
      // 32 letters, so that every byte gives each of them as often as the others.
      const suffix = [...bytes('slug', 6)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
      return `${slugWords(name) || 'code'}-${suffix}`;
    },
    save() {
      const saved = new Map(counts);
      return () => {
        counts = new Map(saved);
      };
    },
  };
}

/** Random bytes that are given out once. */
function randomPool(): (size: number) => Buffer {
  let pool = Buffer.alloc(0);
  return (size) => {
    if (pool.length < size) pool = randomBytes(POOL_SIZE);
    const bytes = pool.subarray(0, size);
    pool = pool.subarray(size);
    return bytes;
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

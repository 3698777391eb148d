import { createHash } from 'node:crypto';

/**
 * Most records that are remembered: 20,000 versions within a minute or 200 years fit into 300,000 characters, which
 * n8n writes to its database with every execution.
 */
const MAX_SEEN = 20_000;

/** How many of these may be so old that no poll reads them again unless the service's clock is set back. */
const MAX_SEEN_BEFORE_MARK = 2000;

/** IDs derived from a row. Rows with their own ID don't need to be counted: listed twice, it is the same scan. */
const GENERATED_ID = /^scan-[0-9a-f]{32}$/;

/** Bytes of a fingerprint: among 20,000, one row in ten billion is mistaken for a remembered one. */
const FINGERPRINT_BYTES = 6;

/** Characters of a known ID: 66 bits, so no two of a million IDs are mistaken for each other. */
const KNOWN_ID_LENGTH = 11;

/** The newest version seen of each record (its time in milliseconds since the epoch), stored as one short text. */
export class SeenVersions {
  readonly #times: Map<string, number>;

  /** @param text what `toString` returned */
  constructor(text?: string) {
    this.#times = unpack(text);
  }

  get size(): number {
    return this.#times.size;
  }

  newest(id: string): number | undefined {
    return this.#times.get(fingerprint(id));
  }

  set(id: string, time: number): void {
    this.#times.set(fingerprint(id), Math.max(0, Math.floor(time)));
  }

  clear(): void {
    this.#times.clear();
  }

  /**
   * Forgets the oldest records if there are too many.
   * @param since lowest time that is read again
   * @returns the time of the last one forgotten
   */
  forget(since: number): number | undefined {
    let older = 0;
    for (const time of this.#times.values()) if (time < since) older += 1;
    const surplus = Math.max(this.#times.size - MAX_SEEN, older - MAX_SEEN_BEFORE_MARK);
    if (surplus <= 0) return undefined;
    const oldest = [...this.#times].sort(([, a], [, b]) => a - b).slice(0, surplus);
    for (const [key] of oldest) this.#times.delete(key);
    return oldest.at(-1)?.[1];
  }

  toString(): string {
    return pack(this.#times);
  }
}

/** How many identical rows a pass has listed, for the core's `scanRows`; stored as one short text between polls. */
export class IdenticalRowCounts extends Map<string, number> {
  /** @param text what `toString` returned */
  constructor(text?: string) {
    super();
    for (const [key, count] of unpack(text)) super.set(key, count);
  }

  override get(id: string): number | undefined {
    return GENERATED_ID.test(id) ? super.get(fingerprint(id)) : undefined;
  }

  override set(id: string, count: number): this {
    if (!GENERATED_ID.test(id)) return this;
    const key = fingerprint(id);
    // Moved to the end: the one counted last is forgotten last.
    super.delete(key);
    super.set(key, count);
    if (this.size > MAX_SEEN) for (const oldest of this.keys()) return this.#forget(oldest);
    return this;
  }

  #forget(key: string): this {
    super.delete(key);
    return this;
  }

  override toString(): string {
    return pack(this);
  }
}

/** A set of IDs, stored as one short text. */
export class KnownIds {
  readonly #keys: Set<string>;

  /** @param text what `toString` returned */
  constructor(text = '') {
    this.#keys = new Set(text.match(new RegExp(`.{${KNOWN_ID_LENGTH}}`, 'g')));
  }

  /** Adds an ID; false if it was known. */
  add(id: string): boolean {
    const before = this.#keys.size;
    this.#keys.add(createHash('sha256').update(id).digest('base64url').slice(0, KNOWN_ID_LENGTH));
    return this.#keys.size > before;
  }

  toString(): string {
    return [...this.#keys].join('');
  }
}

/** A short hash of an ID, stored in its place: eight characters. */
export function fingerprint(id: string): string {
  return createHash('sha256').update(id).digest().toString('base64url', 0, FINGERPRINT_BYTES);
}

/**
 * Numbers from 0 by fingerprint, as a short text. Each is stored as the difference from the next lower one:
 * 10,000 times within minutes take some 93,000 characters, 20,000 over two centuries at most 300,000.
 */
function pack(numbers: ReadonlyMap<string, number>): string {
  const bytes: number[] = [];
  let last = 0;
  for (const [key, number] of [...numbers].sort(([, a], [, b]) => a - b)) {
    bytes.push(...Buffer.from(key, 'base64url'));
    let rest = number - last;
    last = number;
    // A varint: seven bits a byte, lowest first; the eighth bit means that more follow.
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64url');
}

/** Reverses `pack`; lowest numbers first. */
function unpack(text = ''): Map<string, number> {
  const bytes = Buffer.from(text, 'base64url');
  const numbers = new Map<string, number>();
  let number = 0;
  for (let at = 0; at < bytes.length;) {
    const key = bytes.toString('base64url', at, (at += FINGERPRINT_BYTES));
    let unit = 1;
    for (let byte = 0x80; byte >= 0x80; unit *= 0x80) {
      byte = bytes[at++] ?? 0;
      number += (byte % 0x80) * unit;
    }
    numbers.set(key, number);
  }
  return numbers;
}

import { pack, print, unpack } from './prints.ts';

/**
 * Records that are remembered at most: 20,000 states in a minute or in 200 years fit into 300,000 characters, which
 * n8n writes to its database with every execution.
 */
export const MOST_SEEN = 20_000;

/** Of these, those that no poll reads again unless the service's clock is put back. */
const MOST_OLDER = 2000;

/** The newest time seen of each record, in milliseconds since the epoch, kept as one short text. */
export class Seen {
  readonly #times: Map<string, number>;

  /** @param text what `toString` gave, or each record's version by its id, as an earlier release kept it */
  constructor(text: string | Record<string, string> | undefined) {
    this.#times = typeof text === 'object' ? fromVersions(text) : unpack(text);
  }

  get size(): number {
    return this.#times.size;
  }

  newest(id: string): number | undefined {
    return this.#times.get(print(id));
  }

  set(id: string, time: number): void {
    this.#times.set(print(id), Math.max(0, Math.floor(time)));
  }

  clear(): void {
    this.#times.clear();
  }

  /**
   * Forgets the oldest records, where there are too many.
   * @param since lowest time that is read again
   * @returns the time of the last one forgotten
   */
  forget(since: number): number | undefined {
    let older = 0;
    for (const time of this.#times.values()) if (time < since) older += 1;
    const surplus = Math.max(this.#times.size - MOST_SEEN, older - MOST_OLDER);
    if (surplus <= 0) return undefined;
    const oldest = [...this.#times].sort(([, a], [, b]) => a - b).slice(0, surplus);
    for (const [key] of oldest) this.#times.delete(key);
    return oldest.at(-1)?.[1];
  }

  toString(): string {
    return pack(this.#times);
  }
}

function fromVersions(versions: Record<string, string>): Map<string, number> {
  return new Map(
    Object.entries(versions).map(([id, version]) => [print(id), Math.max(0, Date.parse(version) || 0)]),
  );
}

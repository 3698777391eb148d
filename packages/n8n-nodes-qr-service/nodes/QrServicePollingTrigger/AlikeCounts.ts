import { MOST_SEEN } from './memory.ts';
import { pack, print, unpack } from './prints.ts';

/** Ids that are made of a row. Those of its own need no counting: a repeated one is one scan. */
const MADE_ID = /^scan-[0-9a-f]{32}$/;

/** How many rows of a walk were alike, for `scanRows` of the core; kept as one short text between polls. */
export class AlikeCounts extends Map<string, number> {
  /** @param text what `toString` gave */
  constructor(text?: string) {
    super();
    for (const [key, count] of unpack(text)) super.set(key, count);
  }

  override get(id: string): number | undefined {
    return MADE_ID.test(id) ? super.get(print(id)) : undefined;
  }

  override set(id: string, count: number): this {
    if (!MADE_ID.test(id)) return this;
    const key = print(id);
    // The last one counted is the last one forgotten.
    super.delete(key);
    super.set(key, count);
    if (this.size > MOST_SEEN) for (const oldest of this.keys()) return this.#forget(oldest);
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

/** A map that forgets the entry that was set first once it is full. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #capacity: number;

  /** @param capacity maximum number of entries */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value of a key, if it isn't forgotten. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Sets the value of a key, which becomes the last to be forgotten. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#capacity && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, value);
  }
}

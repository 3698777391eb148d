import { createHash } from 'node:crypto';

/** Characters of a kept id: 66 bits, so that of a million ids none is taken for another. */
const WIDTH = 11;

/** A set of ids that is kept as one short text. */
export class KnownIds {
  readonly #prints: Set<string>;

  /** @param text what `toString` gave */
  constructor(text = '') {
    this.#prints = new Set(text.match(new RegExp(`.{${WIDTH}}`, 'g')));
  }

  /** Adds an id; false when it was there already. */
  add(id: string): boolean {
    const before = this.#prints.size;
    this.#prints.add(print(id));
    return this.#prints.size > before;
  }

  toString(): string {
    return [...this.#prints].join('');
  }
}

function print(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, WIDTH);
}

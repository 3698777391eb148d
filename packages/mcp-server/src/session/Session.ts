import { idempotencyKeyFrom } from '@qr-service/core/connector';
import { BoundedMap } from './BoundedMap.ts';
import { Turns } from './Turns.ts';

/** Creations that a session remembers. */
const MAX_REMEMBERED = 10_000;

/** What a session knows, so that a model that repeats itself makes nothing twice. */
export class Session {
  readonly #id: string;
  /** ID of the code by the key of its creation. */
  readonly #created = new BoundedMap<string, string>(MAX_REMEMBERED);
  /** Calls that change many codes: run at once, they would change the same code in any order. */
  readonly upserts = new Turns();

  /** @param id unique */
  constructor(id: string) {
    this.#id = id;
  }

  /** The Idempotency-Key of a creation: the same for the same input. A second code on purpose has another `copy`. */
  creationKey(input: object, copy: number): string {
    return idempotencyKeyFrom([this.#id, 'create', input, copy]);
  }

  /** ID of the code that a creation returned; undefined if it isn't known. */
  createdCode(key: string): string | undefined {
    return this.#created.get(key);
  }

  /** Records which code a creation returned. */
  recordCreation(key: string, codeId: string): void {
    this.#created.set(key, codeId);
  }
}

import type { QrCode } from '@qr-service/core';
import { CodeMemory, idempotencyKeyFrom, isSameUrl, targetUrlOf } from '@qr-service/core/connector';
import { LRUCache } from 'lru-cache';

/** Codes and creations that are remembered. */
const MAX_REMEMBERED = 10_000;

/** Runs work on the same thing one after the other, in the order of the calls. */
export class Turns {
  readonly #last = new LRUCache<string, Promise<void>>({ max: MAX_REMEMBERED });

  /**
   * Runs work once all earlier work with this name has ended, however it ended.
   * @throws the signal's reason if it was aborted by then
   */
  take<Result>(name: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const previous = this.#last.get(name);
    const turn = (async () => {
      await previous;
      signal.throwIfAborted();
      return work();
    })();
    // Without the result, which would be kept as long.
    const forget = () => undefined;
    this.#last.set(name, turn.then(forget, forget));
    return turn;
  }
}

/** What a session knows, so that a model that repeats itself makes nothing twice. */
export class Session {
  readonly #id: string;
  /** ID of the code by the key of its creation. */
  readonly created = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  /** Work that would change or create the same code if it ran at once. */
  readonly turns = new Turns();

  /** @param id unique */
  constructor(id: string) {
    this.#id = id;
  }

  /** The Idempotency-Key of a creation: the same for the same input. A second code on purpose has another `copy`. */
  creationKey(input: object, copy: number): string {
    return idempotencyKeyFrom([this.#id, 'create', input, copy]);
  }
}

/** Part of a code that tells whether it was changed. */
type Version = Pick<QrCode, 'id'> & Partial<Pick<QrCode, 'updatedAt'>>;

/** Where codes point, as far as this process has set it: the service may not say. */
export class Targets {
  /** The same for the core. */
  readonly memory = new CodeMemory();
  readonly #targets = new LRUCache<string, { url: string | undefined; updatedAt: string | undefined }>({
    max: MAX_REMEMBERED,
  });

  /** Records where a code points, as far as that is known. `code` is how it was after the change. */
  set(code: Version, url: string | undefined): void {
    const { id, updatedAt } = code;
    this.#targets.set(id, { url, updatedAt });
    if (url === undefined) this.memory.forgetTarget(id);
    else this.memory.setTarget(code, url);
  }

  /**
   * Where a code points: where this process has pointed it, unless somebody has changed it since, or else what the record
   * shows. If they disagree, nobody knows.
   */
  of(code: Version): string | undefined {
    const known = this.#known(code);
    const shown = targetUrlOf(code);
    if (known !== undefined && shown !== undefined && !isSameUrl(known, shown)) return undefined;
    return known ?? shown;
  }

  /**
   * Records a change that leaves a code's target as it is.
   * @param before the code as it was read before the change: somebody else may have changed its target by then
   */
  keep(before: Version, code: Version): void {
    this.set(code, this.#known(before.updatedAt === undefined ? code : before));
  }

  /** Where this process has pointed a code, unless somebody has changed it since. */
  #known({ id, updatedAt }: Version): string | undefined {
    const target = this.#targets.get(id);
    const isChanged = updatedAt !== undefined && updatedAt !== target?.updatedAt;
    return isChanged ? undefined : target?.url;
  }
}

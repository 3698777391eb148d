import { LIMITS } from '../contract/limits.ts';
import { isApiError, type ApiError } from './ApiError.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';

/**
 * Remembers refusals by their Idempotency-Keys for longer than the process lives. It is given hashes, never a key. Best
 * effort: what it forgets or throws costs no more than that a replayed refusal is taken for a new one.
 */
export interface RefusedKeys {
  /** Which refusal a key got last: what `set` was given. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Notes a key's refusal, in 8 characters of 0 to 9 and a to f. */
  set(key: string, refusal: string): void | Promise<void>;
}

/** How many keys a call may go through; the last one's refusal is its outcome. */
export const MOST_KEYS = 20;

const LIFETIME_MS = LIMITS.idempotencyHours * 60 * 60 * 1000;
const MOST_REMEMBERED = 10_000;
const MOST_REFUSALS = 4;

/** What this process knows of a key. */
interface Known {
  /** Milliseconds since the epoch. */
  at: number;
  /** The call that noted it. */
  call: number;
  /** The refusals that it got last. A service may store some and not others. */
  refusals?: readonly string[];
  /** Step of the sequence under which a call may have acted; undefined where the key was only refused. */
  actedAt?: number;
}

/** By hash; the oldest goes first. */
const known = new Map<string, Known>();
let calls = 0;

/**
 * The keys of one write. A refusal made nothing, yet the service replays it under the same key for a day, also once
 * its cause is fixed (API text, "Limits", 3). So a replayed refusal is followed by the next key of a sequence that every
 * process finds in the same way. A replay is known by its mark; without one, by its request id, which is that of a
 * refusal of an earlier call. Only where the service gives no request ids does any second refusal count as a replay.
 * What is refused for the first time, or anew, is the outcome of the call.
 *
 * Each call begins with its own key, whatever is remembered: a service that does not store refusals may act under it.
 */
export class WriteKeys {
  readonly #own: string;
  readonly #account: string;
  readonly #now: () => number;
  readonly #outlasting: RefusedKeys | undefined;
  readonly #call = ++calls;
  #step: number;

  /** @param options.account what keys are valid in: they mean something else in any other account */
  constructor(
    ownKey: string,
    options: { account: string; now: () => number; refusedKeys: RefusedKeys | undefined },
  ) {
    this.#own = ownKey;
    this.#account = options.account;
    this.#now = options.now;
    this.#outlasting = options.refusedKeys;
    this.#step = this.#known(ownKey)?.actedAt ?? 0;
  }

  /** The key to send. */
  get current(): string {
    return this.#step === 0 ? this.#own : idempotencyKeyFrom([this.#own, this.#step]);
  }

  /** Notes that the service may have acted under the current key: later calls with the same own key begin with it. */
  noteAct(): void {
    if (known.size === 0) return;
    const hash = this.#hash(this.#own);
    if (this.#step === 0) known.delete(hash);
    else if (known.get(hash)?.actedAt !== this.#step) this.#remember(hash, { actedAt: this.#step });
  }

  /** Notes a failure under the current key, and moves on to the next one where that may help. */
  async moveOn(error: unknown): Promise<boolean> {
    const isConflict = isApiError(error) && error.code === 'idempotency_conflict';
    if (!isConflict && !isRefusal(error)) {
      if (!isTurnedAway(error)) this.noteAct();
      return false;
    }
    const before = await this.#refusalsBefore(this.current);
    // A conflict is no refusal, but where the key was refused before it only tells that the input was corrected since.
    let isReplay = isConflict && before.length > 0;
    if (!isConflict) {
      const refusal = refusalOf(error);
      isReplay = error.replayed === true || before.includes(refusal);
      if (!before.includes(refusal)) await this.#note(this.current, refusal);
    }
    if (!isReplay || this.#step === MOST_KEYS - 1) return false;
    this.#step++;
    return true;
  }

  /** Which refusals a key got before this call. */
  async #refusalsBefore(key: string): Promise<readonly string[]> {
    const { call = this.#call, refusals = [] } = this.#known(key) ?? {};
    if (call < this.#call && refusals.length > 0) return refusals;
    try {
      const refusal = await this.#outlasting?.get(this.#hash(key));
      return refusal === undefined ? [] : [refusal];
    } catch {
      return [];
    }
  }

  async #note(key: string, refusal: string): Promise<void> {
    const { actedAt, refusals = [] } = this.#known(key) ?? {};
    this.#remember(this.#hash(key), {
      refusals: [...refusals.slice(1 - MOST_REFUSALS), refusal],
      ...(actedAt === undefined ? {} : { actedAt }),
    });
    try {
      await this.#outlasting?.set(this.#hash(key), refusal);
    } catch {
      // Forgotten: see `RefusedKeys`.
    }
  }

  #known(key: string) {
    if (known.size === 0) return undefined;
    const entry = known.get(this.#hash(key));
    return entry !== undefined && this.#now() - entry.at < LIFETIME_MS ? entry : undefined;
  }

  #remember(hash: string, what: Pick<Known, 'actedAt' | 'refusals'>): void {
    known.delete(hash);
    const [oldest] = known.keys();
    if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
    known.set(hash, { at: this.#now(), call: this.#call, ...what });
  }

  #hash(key: string): string {
    return idempotencyKeyFrom([this.#account, key]);
  }
}

/** Which refusal an error is: the same for its replays. */
function refusalOf({ requestId }: ApiError): string {
  return requestId === undefined ? '00000000' : idempotencyKeyFrom([requestId]).slice(0, 8);
}

/** Whether the service itself refused what a call asks for: then it made nothing. */
export function isRefusal(error: unknown): error is ApiError {
  if (!isApiError(error) || error.retryable || isTurnedAway(error)) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 409;
}

/** Whether a call was turned away before the service looked at what it asks for: by its limit, its door or a proxy. */
function isTurnedAway(error: unknown): boolean {
  if (!isApiError(error) || error.status >= 500) return false;
  return error.status === 401 || error.status === 429 || error.intermediary !== undefined;
}

/** What to do about a refusal under a deduplication key of the user's, where the service only repeats it. */
export const REFUSED_KEY_ADVICE =
  'If you have fixed the cause and it still fails, use another Deduplication Key.';

import { LIMITS } from '../contract/limits.ts';
import { isApiError, type ApiError } from '../errors/ApiError.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';

/**
 * Remembers by their Idempotency-Keys, for longer than the process lives, which keys were refused and which acted after
 * that. It is given hashes, never a key. Best effort: where it forgets or throws, a replayed refusal is taken for a new
 * one, and a key is taken for unused once the service has forgotten its refusal. Kept for a day, it knows all it needs.
 */
export interface RefusedKeys {
  /** What was noted of a key last: what `set` was given. Each write asks once before its first request. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Notes what happened to a key, in 8 characters of 0 to 9 and a to f, in place of what was noted before. */
  set(key: string, note: string): void | Promise<void>;
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
  actedAt?: number | undefined;
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
 * A call begins with its own key, whatever refusals are remembered: a service that does not store them may act under
 * it. But once a call has acted under a later key, calls begin with that one for as long as it is replayed: the service
 * may forget the first key's refusal before that and would act again. A key that acted conflicts with any other input.
 */
export class WriteKeys {
  readonly #own: string;
  readonly #account: string;
  readonly #now: () => number;
  readonly #outlasting: RefusedKeys | undefined;
  readonly #call = ++calls;
  #step = 0;
  /** Step under which a call may have acted. */
  #acted: number | undefined;
  /** What outlasts the process says of the own key. */
  #ownNote: string | undefined;

  private constructor(ownKey: string, { account, now, refusedKeys }: WriteKeysOptions) {
    this.#own = ownKey;
    this.#account = account;
    this.#now = now;
    this.#outlasting = refusedKeys;
  }

  /** Finds the key to begin with. */
  static async begin(ownKey: string, options: WriteKeysOptions): Promise<WriteKeys> {
    const keys = new WriteKeys(ownKey, options);
    keys.#acted = keys.#known(ownKey)?.actedAt;
    if (keys.#acted === undefined && options.refusedKeys !== undefined) {
      keys.#ownNote = await keys.#ask(ownKey);
      keys.#acted = readAct(keys.#ownNote, options.now());
    }
    keys.#step = keys.#acted ?? 0;
    return keys;
  }

  /** The key to send. */
  get current(): string {
    return this.#step === 0 ? this.#own : idempotencyKeyFrom([this.#own, this.#step]);
  }

  /** Notes that the service acted under the current key. */
  async noteAct(): Promise<void> {
    const [step, before] = [this.#step, this.#acted];
    this.#noteMaybe();
    const wasRefused = readRefusal(this.#ownNote) !== undefined || this.#known(this.#own) !== undefined;
    // Of a key that was never refused there is nothing to tell.
    if (step > 0 || (wasRefused && before === undefined))
      await this.#tell(this.#own, actNote(step, this.#now()));
  }

  /** Notes a failure under the current key, and moves on to the next one where that may help. */
  async moveOn(error: unknown): Promise<boolean> {
    const isConflict = isApiError(error) && error.code === 'idempotency_conflict';
    if (!isConflict && !isRefusal(error)) {
      if (isTurnedAway(error)) return false;
      this.#noteMaybe();
      if (this.#step > 0) await this.#tell(this.#own, actNote(this.#step, this.#now()));
      return false;
    }
    const isReplay = isConflict ? await this.#isCorrected() : await this.#isRepeated(error);
    if (!isReplay || this.#step === MOST_KEYS - 1) return false;
    this.#step++;
    return true;
  }

  /**
   * Whether a conflict only tells that the input was corrected since the key was refused. A conflict is no refusal, and
   * a key that acted conflicts with any other input.
   */
  async #isCorrected(): Promise<boolean> {
    return this.#step !== this.#acted && (await this.#refusalsBefore(this.current)).length > 0;
  }

  /** Whether a refusal is a replay; one that is not marked is noted. */
  async #isRepeated(error: ApiError): Promise<boolean> {
    const refusal = refusalOf(error);
    const isMarked = error.replayed === true;
    const before = isMarked ? [] : await this.#refusalsBefore(this.current);
    if (before.includes(refusal)) return true;
    const { refusals = [], actedAt } = this.#known(this.current) ?? {};
    if (!refusals.includes(refusal))
      this.#remember(this.current, {
        refusals: [...refusals.slice(1 - MOST_REFUSALS), refusal],
        actedAt,
      });
    // What acted is not forgotten for a refusal at the door.
    if (!isMarked && (this.#step > 0 || this.#acted === undefined)) await this.#tell(this.current, refusal);
    return isMarked;
  }

  /** Remembers in this process that a call may have acted under the current key, where the own key tells otherwise. */
  #noteMaybe(): void {
    const own = this.#known(this.#own);
    this.#acted = this.#step;
    if (this.#step === 0 && own === undefined) return;
    this.#remember(this.#own, { actedAt: this.#step, ...(own?.refusals && { refusals: own.refusals }) });
  }

  /** Which refusals a key got before this call. */
  async #refusalsBefore(key: string): Promise<readonly string[]> {
    const { call = this.#call, refusals = [] } = this.#known(key) ?? {};
    if (call < this.#call && refusals.length > 0) return refusals;
    const refusal = readRefusal(key === this.#own ? this.#ownNote : await this.#ask(key));
    return refusal === undefined ? [] : [refusal];
  }

  async #ask(key: string): Promise<string | undefined> {
    try {
      return await this.#outlasting?.get(this.#hash(key));
    } catch {
      return undefined;
    }
  }

  async #tell(key: string, note: string): Promise<void> {
    try {
      await this.#outlasting?.set(this.#hash(key), note);
    } catch {
      // Forgotten: see `RefusedKeys`.
    }
  }

  #known(key: string) {
    if (known.size === 0) return undefined;
    const entry = known.get(this.#hash(key));
    return entry !== undefined && this.#now() - entry.at < LIFETIME_MS ? entry : undefined;
  }

  #remember(key: string, what: Pick<Known, 'actedAt' | 'refusals'>): void {
    const hash = this.#hash(key);
    known.delete(hash);
    const [oldest] = known.keys();
    if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
    known.set(hash, { at: this.#now(), call: this.#call, ...what });
  }

  #hash(key: string): string {
    return idempotencyKeyFrom([this.#account, key]);
  }
}

/** What the keys of a write depend on. */
export interface WriteKeysOptions {
  /** What keys are valid in: they mean something else in any other account. */
  account: string;
  now: () => number;
  refusedKeys: RefusedKeys | undefined;
}

// A note has 32 bits. The first tells an act from a refusal; an act's next 5 are its step, the rest the minute.
const IS_ACT = 2 ** 31;
const MINUTES = 2 ** 26;
const MINUTE_MS = 60_000;

function actNote(step: number, now: number): string {
  return (IS_ACT + step * MINUTES + Math.ceil(now / MINUTE_MS)).toString(16);
}

/** The step under which a call acted, for as long as it may be replayed; undefined for any other note. */
function readAct(note: string | undefined, now: number): number | undefined {
  if (note === undefined || !isAct(note)) return undefined;
  const bits = parseInt(note, 16) - IS_ACT;
  const step = Math.floor(bits / MINUTES);
  return step < MOST_KEYS && now - (bits % MINUTES) * MINUTE_MS < LIFETIME_MS ? step : undefined;
}

function readRefusal(note: string | undefined): string | undefined {
  return note === undefined || isAct(note) ? undefined : note;
}

function isAct(note: string): boolean {
  return /^[89a-f][0-9a-f]{7}$/.test(note);
}

/** Which refusal an error is: the same for its replays. */
function refusalOf({ requestId }: ApiError): string {
  return requestId === undefined ? '00000000' : `0${idempotencyKeyFrom([requestId]).slice(0, 7)}`;
}

/**
 * Whether the service itself refused what a call asks for: then it made nothing. A 409 of another kind than those of
 * the keys may come and go, such as a name that is taken; it is a refusal once it is only replayed.
 */
export function isRefusal(error: unknown): error is ApiError {
  if (!isApiError(error) || error.retryable || isTurnedAway(error)) return false;
  if (error.status === 409) return error.replayed === true && error.code !== 'idempotency_conflict';
  return error.status >= 400 && error.status < 500;
}

/** Whether a call was turned away before the service looked at what it asks for: by its limit, its door or a proxy. */
function isTurnedAway(error: unknown): boolean {
  if (!isApiError(error) || error.status >= 500) return false;
  return error.status === 401 || error.status === 429 || error.intermediary !== undefined;
}

/** What to do about a refusal under a deduplication key of the user's, where the service only repeats it. */
export const REFUSED_KEY_ADVICE =
  'If you have fixed the cause and it still fails, use another Deduplication Key.';

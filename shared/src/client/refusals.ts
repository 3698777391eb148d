import { LIMITS } from '../contract/limits.ts';
import { isApiError, type ApiError } from './ApiError.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';

/**
 * Remembers the Idempotency-Keys of refused calls for longer than the process lives. It sees hashes, never a key.
 * Best effort: what it forgets or throws costs no more than that a replayed refusal is taken for a new one.
 */
export interface RefusedKeys {
  /** Whether this key was refused before. */
  has(hash: string): boolean | Promise<boolean>;
  /** Notes a refused key. */
  add(hash: string): void | Promise<void>;
}

/** How many keys a call may go through; the last one's refusal is its outcome. */
export const MOST_KEYS = 20;

const LIFETIME_MS = LIMITS.idempotencyHours * 60 * 60 * 1000;
const MOST_REMEMBERED = 10_000;

/** What this process knows of a key. */
interface Known {
  /** Milliseconds since the epoch. */
  at: number;
  /** The call that noted it. */
  call: number;
  /** Step of the sequence under which a call may have acted; undefined where the key was only refused. */
  actedAt?: number;
}

/** By hash; the oldest goes first. */
const known = new Map<string, Known>();
let calls = 0;

/**
 * The keys of one write. A refusal made nothing, yet the service replays it under the same key for a day, also once
 * its cause is fixed (API text, "Limits", 3). So a refusal that is no news is followed by the next key of a sequence
 * that every process finds in the same way: one that is marked as a replay, or that comes under a key that was refused
 * before this call. The first refusal of a key is news: the outcome of the call.
 *
 * Each call begins with its own key, whatever is remembered: another process, or a service that does not store
 * refusals, may have acted under it since.
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
    const outcome = readFailure(error);
    if (outcome === undefined) {
      this.noteAct();
      return false;
    }
    const key = this.current;
    const isNews = outcome !== 'replayed' && !(await this.#wasRefused(key));
    if (outcome !== 'conflict') await this.#note(key);
    if (isNews || this.#step === MOST_KEYS - 1) return false;
    this.#step++;
    return true;
  }

  async #wasRefused(key: string): Promise<boolean> {
    const entry = this.#known(key);
    if (entry !== undefined && entry.actedAt === undefined && entry.call < this.#call) return true;
    try {
      return (await this.#outlasting?.has(this.#hash(key))) === true;
    } catch {
      return false;
    }
  }

  async #note(key: string): Promise<void> {
    if (this.#known(key) === undefined) this.#remember(this.#hash(key), {});
    try {
      await this.#outlasting?.add(this.#hash(key));
    } catch {
      // Forgotten: see `RefusedKeys`.
    }
  }

  #known(key: string) {
    if (known.size === 0) return undefined;
    const entry = known.get(this.#hash(key));
    return entry !== undefined && this.#now() - entry.at < LIFETIME_MS ? entry : undefined;
  }

  #remember(hash: string, what: Pick<Known, 'actedAt'>): void {
    known.delete(hash);
    const [oldest] = known.keys();
    if (known.size >= MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
    known.set(hash, { at: this.#now(), call: this.#call, ...what });
  }

  #hash(key: string): string {
    return idempotencyKeyFrom([this.#account, key]);
  }
}

/** What a failure says about its key; undefined where the next key would not help or might act twice. */
function readFailure(error: unknown): 'refused' | 'replayed' | 'conflict' | undefined {
  // A conflict is no refusal, but where the key was refused before it only tells that the input was corrected since.
  if (isApiError(error) && error.code === 'idempotency_conflict') return 'conflict';
  if (!isRefusal(error)) return undefined;
  return error.replayed === true ? 'replayed' : 'refused';
}

/** Whether the service itself refused a call for good: then it made nothing. */
export function isRefusal(error: unknown): error is ApiError {
  if (!isApiError(error) || error.retryable || error.intermediary !== undefined) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 409;
}

/** What to do about a refusal under a deduplication key of the user's, where the service only repeats it. */
export const REFUSED_KEY_ADVICE =
  'If you have fixed the cause and it still fails, use another Deduplication Key.';

import { LIMITS } from '../contract/limits.ts';
import { isApiError, type ApiError } from '../errors/ApiError.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';
import { isRefusal, isTurnedAway } from './refusal.ts';
import { executionNote, readExecution, readRefusal, type RefusedKeys } from './refusedKeys.ts';

/** Maximum number of keys for one call. If the last one is refused, the call fails. */
const MAX_KEYS = 20;
const LIFETIME_MS = LIMITS.idempotencyHours * 60 * 60 * 1000;
const MAX_REMEMBERED = 10_000;
const MAX_REFUSALS = 4;

/** What this process remembers about a key. */
interface KeyHistory {
  /** Milliseconds since the epoch. */
  at: number;
  /** The call that recorded it. */
  call: number;
  /** Its latest refusals. A service may store some and not others. */
  refusals?: readonly string[];
  /** Step of the sequence under which a write may have been executed; undefined if the key was only refused. */
  executedStep?: number | undefined;
}

/** By hash; the oldest is dropped first. */
const histories = new Map<string, KeyHistory>();
let calls = 0;

/** Options of a key sequence. */
export interface KeySequenceOptions {
  /** The scope of the keys: the same key in another account is a different key. */
  account: string;
  now: () => number;
  refusedKeys: RefusedKeys | undefined;
}

/**
 * The Idempotency-Keys of one write. A refused write created nothing, but the service replays the refusal under the
 * same key for a day, even after its cause is fixed (API text, "Limits", 3). So after a replayed refusal, the call
 * continues with the next key of a sequence that every process derives in the same way. A replay is recognized by its
 * header, or else by its request ID, which is the same as that of an earlier call's refusal. If the service sends no
 * request IDs, any second refusal counts as a replay. A first or new refusal fails the call.
 *
 * A call starts with its own key, whatever refusals are remembered: a service that doesn't store refusals may execute
 * the write under it. But once a write was executed under a later key, calls start with that key for as long as the
 * service replays it. The service may forget the first key's refusal sooner, and would then execute the write again. A
 * key that executed a write conflicts with any other input.
 */
export class IdempotencyKeySequence {
  readonly #ownKey: string;
  readonly #account: string;
  readonly #now: () => number;
  readonly #refusedKeys: RefusedKeys | undefined;
  readonly #call = ++calls;
  #step = 0;
  /** Step under which a write may have been executed. */
  #executedStep: number | undefined;
  /** The note in `refusedKeys` about the call's own key. */
  #ownNote: string | undefined;

  private constructor(ownKey: string, { account, now, refusedKeys }: KeySequenceOptions) {
    this.#ownKey = ownKey;
    this.#account = account;
    this.#now = now;
    this.#refusedKeys = refusedKeys;
  }

  /** Finds the key to start with. */
  static async start(ownKey: string, options: KeySequenceOptions): Promise<IdempotencyKeySequence> {
    const keys = new IdempotencyKeySequence(ownKey, options);
    keys.#executedStep = keys.#recall(ownKey)?.executedStep;
    if (keys.#executedStep === undefined && options.refusedKeys !== undefined) {
      keys.#ownNote = await keys.#load(ownKey);
      const execution = readExecution(keys.#ownNote);
      if (execution !== undefined && execution.step < MAX_KEYS && options.now() - execution.at < LIFETIME_MS)
        keys.#executedStep = execution.step;
    }
    keys.#step = keys.#executedStep ?? 0;
    return keys;
  }

  /** The key to send. */
  get current(): string {
    return this.#step === 0 ? this.#ownKey : idempotencyKeyFrom([this.#ownKey, this.#step]);
  }

  /** Records that the service executed the write under the current key. */
  async recordSuccess(): Promise<void> {
    const before = this.#executedStep;
    this.#recordPossibleExecution();
    const wasRefused = readRefusal(this.#ownNote) !== undefined || this.#recall(this.#ownKey) !== undefined;
    // Nothing needs to be stored about a key that was never refused.
    if (this.#step > 0 || (wasRefused && before === undefined)) await this.#saveExecution();
  }

  /** Records a failure under the current key, and advances to the next key if that may help. */
  async advanceAfter(error: unknown): Promise<boolean> {
    const isConflict = isApiError(error) && error.code === 'idempotency_conflict';
    if (!isConflict && !isRefusal(error)) {
      if (isTurnedAway(error)) return false;
      this.#recordPossibleExecution();
      if (this.#step > 0) await this.#saveExecution();
      return false;
    }
    const isStale = isConflict ? await this.#isInputCorrected() : await this.#isReplay(error);
    if (!isStale || this.#step === MAX_KEYS - 1) return false;
    this.#step++;
    return true;
  }

  /**
   * Whether a conflict only means that the input was corrected after the key was refused. For a key that executed a
   * write, the conflict is real.
   */
  async #isInputCorrected(): Promise<boolean> {
    return this.#step !== this.#executedStep && (await this.#earlierRefusals(this.current)).length > 0;
  }

  /** Whether a refusal is a replay. One that isn't marked as such is remembered. */
  async #isReplay(error: ApiError): Promise<boolean> {
    const refusal = refusalId(error);
    const isMarked = error.replayed === true;
    const earlier = isMarked ? [] : await this.#earlierRefusals(this.current);
    if (earlier.includes(refusal)) return true;
    const { refusals = [], executedStep } = this.#recall(this.current) ?? {};
    if (!refusals.includes(refusal))
      this.#remember(this.current, {
        refusals: [...refusals.slice(1 - MAX_REFUSALS), refusal],
        executedStep,
      });
    // A refusal of the own key must not replace the record of an execution.
    if (!isMarked && (this.#step > 0 || this.#executedStep === undefined))
      await this.#save(this.current, refusal);
    return isMarked;
  }

  /**
   * Remembers in this process that a write may have been executed under the current key, unless that is the call's own
   * key and was never refused.
   */
  #recordPossibleExecution(): void {
    const history = this.#recall(this.#ownKey);
    this.#executedStep = this.#step;
    if (this.#step === 0 && history === undefined) return;
    this.#remember(this.#ownKey, {
      executedStep: this.#step,
      ...(history?.refusals && { refusals: history.refusals }),
    });
  }

  /** The refusals of a key before this call. */
  async #earlierRefusals(key: string): Promise<readonly string[]> {
    const { call = this.#call, refusals = [] } = this.#recall(key) ?? {};
    if (call < this.#call && refusals.length > 0) return refusals;
    const refusal = readRefusal(key === this.#ownKey ? this.#ownNote : await this.#load(key));
    return refusal === undefined ? [] : [refusal];
  }

  async #load(key: string): Promise<string | undefined> {
    try {
      return await this.#refusedKeys?.get(this.#hash(key));
    } catch {
      return undefined;
    }
  }

  #saveExecution(): Promise<void> {
    return this.#save(this.#ownKey, executionNote(this.#step, this.#now()));
  }

  async #save(key: string, note: string): Promise<void> {
    try {
      await this.#refusedKeys?.set(this.#hash(key), note);
    } catch {
      // Best effort: see `RefusedKeys`.
    }
  }

  #recall(key: string): KeyHistory | undefined {
    if (histories.size === 0) return undefined;
    const history = histories.get(this.#hash(key));
    return history !== undefined && this.#now() - history.at < LIFETIME_MS ? history : undefined;
  }

  #remember(key: string, history: Pick<KeyHistory, 'executedStep' | 'refusals'>): void {
    const hash = this.#hash(key);
    histories.delete(hash);
    const [oldest] = histories.keys();
    if (histories.size >= MAX_REMEMBERED && oldest !== undefined) histories.delete(oldest);
    histories.set(hash, { at: this.#now(), call: this.#call, ...history });
  }

  #hash(key: string): string {
    return idempotencyKeyFrom([this.#account, key]);
  }
}

/** Identifies a refusal. Its replays have the same ID. */
function refusalId({ requestId }: ApiError): string {
  return requestId === undefined ? '00000000' : `0${idempotencyKeyFrom([requestId]).slice(0, 7)}`;
}

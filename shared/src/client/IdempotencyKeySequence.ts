import type { ApiError } from '../errors/ApiError.ts';
import { idempotencyKeyFrom } from './idempotencyKey.ts';
import { isRefusal } from './refusal.ts';

/** Maximum number of keys for one call. If the last one is refused, the call fails. */
const MAX_KEYS = 20;
const MAX_REMEMBERED = 10_000;

/** Maximum number of refusals of one key that are remembered. */
const MAX_REFUSALS = 5;

/**
 * Request IDs of the latest refusals of each key that this process has seen, by the key's hash; the oldest key is dropped
 * first.
 */
const refusals = new Map<string, readonly (string | undefined)[]>();

/**
 * The Idempotency-Keys of one write. A refused write created nothing, but the service replays the refusal under the same
 * key for a day, even after its cause is fixed (API text, "Limits", 3). So after a replayed refusal, the call continues
 * with the next key of a sequence that every process derives in the same way. A replay is recognized by its header, or
 * else by the request ID of a refusal that this process has seen before. If the service sends no request IDs, any second
 * refusal counts as a replay. A first or new refusal fails the call, and so does a conflict: another process may have
 * executed the write.
 */
export class IdempotencyKeySequence {
  readonly #ownKey: string;
  readonly #account: string;
  #step = 0;

  /**
   * @param ownKey the first key
   * @param account the scope of the keys: the same key in another account is a different key
   */
  constructor(ownKey: string, account: string) {
    this.#ownKey = ownKey;
    this.#account = account;
  }

  /** The key to send. */
  get current(): string {
    return this.#step === 0 ? this.#ownKey : idempotencyKeyFrom([this.#ownKey, this.#step]);
  }

  /** Records a failure under the current key, and advances to the next key if that may help. */
  advanceAfter(error: unknown): boolean {
    if (!isRefusal(error) || !this.#isReplay(error) || this.#step === MAX_KEYS - 1) return false;
    this.#step++;
    return true;
  }

  #isReplay({ replayed, requestId }: ApiError): boolean {
    const hash = idempotencyKeyFrom([this.#account, this.current]);
    const requestIds = refusals.get(hash) ?? [];
    if (replayed === true || requestIds.includes(requestId)) return true;
    refusals.set(hash, [...requestIds, requestId].slice(-MAX_REFUSALS));
    const [oldest = ''] = refusals.keys();
    if (refusals.size > MAX_REMEMBERED) refusals.delete(oldest);
    return false;
  }
}

import { createHash } from 'node:crypto';
import { isRefusal } from '../errors/guards.ts';
import { stableJson } from '../json/json.ts';

const MAX_REMEMBERED = 10_000;

/** By the first key's hash: how many keys are used up, and the refusal of the current one. The oldest are dropped first. */
const refusals = new Map<string, { usedUp: number; requestId?: string | undefined }>();

/** Derives a key that is the same for the same parts and different for any others (docs/api.md#idempotency). */
export function idempotencyKeyFrom(parts: readonly unknown[]): string {
  return createHash('sha256').update(stableJson(parts)).digest('hex');
}

/** The Idempotency-Key of a write, as `CallOptions` describes it. Every process derives the same new keys. */
export class IdempotencyKey {
  readonly #first: string;
  readonly #hash: string;

  /** @param account the scope of the key: the same key in another account is a different one */
  constructor(first: string, account: string) {
    this.#first = first;
    this.#hash = idempotencyKeyFrom([account, first]);
  }

  /** The key to send. */
  get current(): string {
    const usedUp = refusals.get(this.#hash)?.usedUp ?? 0;
    return usedUp === 0 ? this.#first : idempotencyKeyFrom([this.#first, usedUp]);
  }

  /** Remembers a refusal. Returns whether it was a replay: then `current` is a new key. */
  advanceAfter(error: unknown): boolean {
    if (!isRefusal(error)) return false;
    const { requestId } = error;
    const { usedUp, requestId: before } = refusals.get(this.#hash) ?? { usedUp: 0 };
    const isReplay = requestId !== undefined && requestId === before;
    refusals.set(this.#hash, isReplay ? { usedUp: usedUp + 1 } : { usedUp, requestId });
    const [oldest = ''] = refusals.keys();
    if (refusals.size > MAX_REMEMBERED) refusals.delete(oldest);
    return isReplay;
  }
}

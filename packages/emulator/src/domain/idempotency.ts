import type { StoredResponse } from '../store/records.ts';
import type { Store } from '../store/index.ts';

/** What happened to a request with an Idempotency-Key. */
export type IdempotencyOutcome = 'new' | 'replayed' | 'conflict' | 'in progress';

/** A response that can be replayed. */
export type ReplayableResponse = Omit<StoredResponse, 'fingerprint'>;

/** How to handle a request with an Idempotency-Key. */
type IdempotencyClaim =
  | { outcome: 'conflict' }
  | { outcome: 'in progress' }
  | { outcome: 'replayed'; response: ReplayableResponse }
  | {
      outcome: 'new';
      /** Stores the response for replays. Call in the same transaction as the work. */
      save: (response: ReplayableResponse) => void;
      /** Call when the request has ended, whether or not it succeeded. */
      release: () => void;
    };

/** The Idempotency-Keys of one emulator (API text, "Limits", 3). */
export interface Idempotency {
  /** @param fingerprint hash of the request's input */
  claim(apiKeyId: string, key: string, fingerprint: string): IdempotencyClaim;
}

export function createIdempotency(store: Store): Idempotency {
  /** Fingerprints of the requests in progress. In memory only, because nothing is in progress after a restart. */
  const inProgress = new Map<string, string>();

  return {
    claim(apiKeyId, key, fingerprint) {
      const slot = `${apiKeyId} ${key}`;
      const stored = store.idempotency.find(apiKeyId, key);
      const first = stored?.fingerprint ?? inProgress.get(slot);
      if (first !== undefined && first !== fingerprint) return { outcome: 'conflict' };
      if (stored !== undefined) return { outcome: 'replayed', response: stored };
      if (first !== undefined) return { outcome: 'in progress' };
      inProgress.set(slot, fingerprint);
      return {
        outcome: 'new',
        save: (response) => store.idempotency.save(apiKeyId, key, { fingerprint, ...response }),
        release: () => void inProgress.delete(slot),
      };
    },
  };
}

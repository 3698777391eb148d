import { randomUUID } from 'node:crypto';
import { isApiError, isTransportError } from '@qr-service/core';
import { idempotencyKeyFrom, type ACTIONS } from '@qr-service/core/connector';
import { BoundedMap } from './BoundedMap.ts';
import { Turns } from './Turns.ts';

/** Creations and changes that a session remembers. */
const MAX_REMEMBERED = 10_000;

/** A change that was started: it sets a state, such as a code's destination. */
export interface Change {
  /** For the client's call. */
  idempotencyKey: string;
  /** Records how the call ended: with this error, or without one. */
  end(error?: unknown): void;
  /** Runs the call and records how it ended. */
  run<Result>(call: (change: Change) => Promise<Result>): Promise<Result>;
}

interface LastChange {
  /** Which change it was, and of which session. */
  input: string;
  /** Unique. */
  step: string;
  isOpen: boolean;
}

/** The last change of each kind and code. */
export type Changes = BoundedMap<string, LastChange>;

/** No changes yet. */
export function noChanges(): Changes {
  return new BoundedMap(MAX_REMEMBERED);
}

/** What a session knows, so that a model that repeats itself makes nothing twice. */
export class Session {
  readonly #id: string;
  /** ID of the code by the key of its creation. */
  readonly #created = new BoundedMap<string, string>(MAX_REMEMBERED);
  readonly #changes: Changes;
  /** Calls that change many codes: run at once, they would change the same code in any order. */
  readonly upserts = new Turns();

  /**
   * @param id unique
   * @param changes shared by all sessions: a change by one of them replaces what another has set
   */
  constructor(id: string, changes: Changes) {
    this.#id = id;
    this.#changes = changes;
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

  /**
   * Starts a change of a code. The key of the previous change is used again only if it was the same change and its
   * outcome is unknown: a replay of an older one would lose the way back from B to A.
   */
  startChange(kind: keyof typeof ACTIONS, codeId: string, input: object): Change {
    const name = `${kind} ${codeId}`;
    const wanted = idempotencyKeyFrom([this.#id, input]);
    const last = this.#changes.get(name);
    const isSame = last?.isOpen === true && last.input === wanted;
    const change: LastChange = { input: wanted, step: isSame ? last.step : randomUUID(), isOpen: true };
    this.#changes.set(name, change);
    const started: Change = {
      idempotencyKey: idempotencyKeyFrom([this.#id, name, input, change.step]),
      end: (error) => {
        change.isOpen = isOutcomeUnknown(error);
      },
      run: async (call) => {
        try {
          const result = await call(started);
          started.end();
          return result;
        } catch (error) {
          started.end(error);
          throw error;
        }
      },
    };
    return started;
  }
}

/** Whether a write may have been carried out although it failed. */
function isOutcomeUnknown(error: unknown): boolean {
  if (isTransportError(error)) return !error.unsent;
  return isApiError(error) && (error.status >= 500 || error.code === 'idempotency_in_progress');
}

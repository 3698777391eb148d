import { idempotencyKeyFrom } from '../client/idempotencyKey.ts';
import type { QrCode } from '../contract/types.ts';
import { readTime } from '../wire/time.ts';
import { normalise } from './codeText.ts';
import type { Connection } from './connection.ts';

/** Codes and rows that a memory remembers, each. The oldest is forgotten first. */
const MAX_REMEMBERED = 20_000;

/** Accounts whose memory is kept. The oldest is forgotten first. */
const MAX_ACCOUNTS = 100;

/** What is known about a code since this process last wrote it. */
export interface KnownState {
  /** Where it points. */
  targetUrl: string;
  /** Whether it was published. */
  published: boolean;
}

/** The part of a code that tells whether it was changed. */
type Version = Pick<QrCode, 'id'> & Partial<Pick<QrCode, 'updatedAt'>>;

/**
 * What a process knows about the codes of one account from its own writes: the API text shows no way to read where a code
 * points, and a list may show new codes late. It can be lost at any time: the codes are then written again.
 */
export class CodeMemory {
  readonly #states = new Map<string, KnownState & { updatedAt: string }>();
  readonly #created = new Map<string, { id: string; name: string }>();
  /** Whether the service's times have milliseconds: those that it has sent so far may all be whole seconds. */
  #hasMilliseconds = false;

  /** What is known about a code; undefined if that's nothing, or if anybody may have changed the code since. */
  stateOf(code: Version): KnownState | undefined {
    const state = this.#states.get(code.id);
    return state !== undefined && this.isUnchanged(state, code) ? state : undefined;
  }

  /**
   * Whether nobody has changed a code between two times. If all times so far are whole seconds or minutes, nobody knows:
   * later changes in the same one leave the time as it is.
   */
  isUnchanged({ updatedAt }: Pick<Version, 'updatedAt'>, now: Pick<Version, 'updatedAt'>): boolean {
    this.#noteTime(updatedAt);
    return this.#hasMilliseconds && updatedAt !== undefined && updatedAt === now.updatedAt;
  }

  #noteTime(updatedAt: string | undefined): void {
    if (updatedAt !== undefined) this.#hasMilliseconds ||= (readTime(updatedAt) ?? NaN) % 1000 !== 0;
  }

  /** Records what is known about a code after a write. A code without a time can't be compared later. */
  setState({ id, updatedAt }: Version, { targetUrl, published }: KnownState): void {
    this.#noteTime(updatedAt);
    if (updatedAt === undefined) this.forgetState(id);
    else remember(this.#states, id, { targetUrl, published, updatedAt });
  }

  /** Forgets a code's state before a write whose result may get lost. */
  forgetState(id: string): void {
    this.#states.delete(id);
  }

  /** ID of the code that was created for rows that name it so. */
  createdFor(identity: string): string | undefined {
    return this.#created.get(identity)?.id;
  }

  /** Whether a code still has the name that it was created with. */
  hasCreatedName(identity: string, code: QrCode | undefined): boolean {
    return this.#created.get(identity)?.name === normalise(code?.name);
  }

  /** Records the code that was created for rows that name it so. */
  setCreated(identity: string, { id, name }: QrCode): void {
    remember(this.#created, identity, { id, name: normalise(name) });
  }
}

/** By account. */
const memories = new Map<string, CodeMemory>();

/** This process's memory of an account. */
export function codeMemoryFor({ baseUrl, apiKey }: Pick<Connection, 'apiKey' | 'baseUrl'>): CodeMemory {
  const account = idempotencyKeyFrom([baseUrl, apiKey]);
  const memory = memories.get(account) ?? new CodeMemory();
  if (!memories.has(account)) remember(memories, account, memory, MAX_ACCOUNTS);
  return memory;
}

function remember<Value>(
  entries: Map<string, Value>,
  key: string,
  value: Value,
  capacity = MAX_REMEMBERED,
): void {
  entries.delete(key);
  const [oldest] = entries.keys();
  if (entries.size >= capacity && oldest !== undefined) entries.delete(oldest);
  entries.set(key, value);
}

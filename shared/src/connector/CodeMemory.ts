import { idempotencyKeyFrom } from '../client/idempotencyKey.ts';
import type { QrCode } from '../contract/types.ts';
import { readTime } from '../wire/time.ts';
import { isRenamed, normalize } from './codeText.ts';
import type { Connection } from './connection.ts';
import { readShortLink } from './shortLink.ts';
import { isSameUrl, targetUrlOf } from './targetUrl.ts';

/** Codes that a memory remembers. The oldest is forgotten first. */
const MAX_REMEMBERED = 20_000;

/** Accounts whose memory is kept. The oldest is forgotten first. */
const MAX_ACCOUNTS = 100;

/** What this process did to a code. */
export interface KnownState {
  /** Where it points; undefined if a write's result got lost. */
  targetUrl: string | undefined;
  /** Whether it was published. */
  published: boolean;
}

/** The part of a new code that lasts, with the name that the service gave it. */
export type CreatedCode = Pick<QrCode, 'id' | 'name' | 'publicUrl'>;

/** The part of a code that tells whether it was changed. */
type Version = Pick<QrCode, 'id'> & Times;
type Times = { updatedAt?: string | undefined };

/**
 * What a process knows about the codes of one account from its own writes: the API text shows no way to read where a code
 * points, and a list may show new codes late. It can be lost at any time: the codes are then written again.
 */
export class CodeMemory {
  readonly #states = new Map<string, KnownState & { updatedAt: string | undefined }>();
  readonly #created = new Map<string, { code: CreatedCode; at: number }>();
  readonly #now: () => number;
  /** Whether the service's times have milliseconds: those that it has sent so far may all be whole seconds. */
  #hasMilliseconds = false;
  /** Whether new codes have had the names that were sent; undefined before the first one. */
  keepsNames: boolean | undefined;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Where this process has pointed a code that nobody has changed since; undefined if that isn't known. A target that the
   * record shows proves nothing, as the API text doesn't describe it, but if it differs, nobody knows.
   */
  targetOf(code: QrCode): string | undefined {
    const state = this.#states.get(code.id);
    if (state?.targetUrl === undefined || !this.isUnchanged(state, code)) return undefined;
    const shown = targetUrlOf(code);
    return shown === undefined || isSameUrl(shown, state.targetUrl) ? state.targetUrl : undefined;
  }

  /** Whether this process has published a code that nobody has changed since. */
  hasPublished(code: Version): boolean {
    const state = this.#states.get(code.id);
    return state?.published === true && this.isUnchanged(state, code);
  }

  /**
   * Whether nobody has changed a code between two times. If all times so far are whole seconds or minutes, nobody knows:
   * later changes in the same one leave the time as it is.
   */
  isUnchanged({ updatedAt }: Times, now: Times): boolean {
    this.#noteTime(updatedAt);
    return this.#hasMilliseconds && updatedAt !== undefined && updatedAt === now.updatedAt;
  }

  #noteTime(updatedAt: string | undefined): void {
    if (updatedAt !== undefined) this.#hasMilliseconds ||= (readTime(updatedAt) ?? NaN) % 1000 !== 0;
  }

  /** Records what this process did to a code: `code` is how it was after that. */
  setState(code: Version, { targetUrl, published }: KnownState): void {
    const { id, updatedAt } = code;
    this.#noteTime(updatedAt);
    remember(this.#states, id, { targetUrl, published, updatedAt });
  }

  /** Records a write whose result may get lost. */
  forgetTarget(id: string): void {
    remember(this.#states, id, { targetUrl: undefined, published: false, updatedAt: undefined });
  }

  /** The code that this process created with a name or a short link, and how many milliseconds ago. */
  createdAs(key: string): { code: CreatedCode; ageMs: number } | undefined {
    const created = this.#created.get(key);
    return created && { code: created.code, ageMs: this.#now() - created.at };
  }

  /**
   * Records a code that this process created, so that rows find it while no read shows it yet.
   * @param requestedName the name that was sent
   */
  setCreated({ id, name, publicUrl }: QrCode, requestedName: string): void {
    this.keepsNames = this.keepsNames !== false && !isRenamed(requestedName, { name });
    const created = { code: { id, name, publicUrl }, at: this.#now() };
    const keys = [nameKey(requestedName), idKey(id), linkKey(publicUrl)];
    for (const key of keys) remember(this.#created, key, created, MAX_REMEMBERED * keys.length);
  }
}

/** How a memory names the codes with a name. */
export function nameKey(name: string): string {
  return `name:${normalize(name)}`;
}

/** How a memory names the code with a short link. */
export function linkKey(link: string): string {
  return `link:${JSON.stringify(readShortLink(link))}`;
}

/** How a memory names the code with an ID. */
export function idKey(id: string): string {
  return `id:${id}`;
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

import { idempotencyKeyFrom } from '../client/idempotencyKey.ts';
import type { QrCode } from '../contract/types.ts';
import { ignoreCase } from './code.ts';
import type { Connection } from './connection.ts';

/** How late reads may be, in milliseconds. */
export const MAX_LATENESS_MS = 10 * 60 * 1000;

/** Codes and accounts that are remembered. The oldest is forgotten first. */
const MAX_REMEMBERED = 20_000;

type Version = Pick<QrCode, 'id'> & { updatedAt?: string | undefined };

/**
 * What a process knows about the codes of one account from its own writes: the API text shows no way to read where a code
 * points, and a list may show new codes late. It can be lost at any time: the codes are then written again.
 */
export class CodeMemory {
  readonly #targets = new Map<string, { url: string; updatedAt: string }>();
  /** By name. */
  readonly #created = new Map<string, { code: QrCode; at: number }>();
  /** Runs work on a code after earlier work on it. */
  readonly inTurn = turns();

  /** Where this process has pointed a code that nobody has changed since; undefined if that isn't known. */
  targetOf({ id, updatedAt }: Version): string | undefined {
    const target = this.#targets.get(id);
    return target !== undefined && target.updatedAt === updatedAt ? target.url : undefined;
  }

  /** Records where a code points: `code` is how it was after that. */
  setTarget({ id, updatedAt }: Version, url: string): void {
    if (updatedAt === undefined) this.forgetTarget(id);
    else remember(this.#targets, id, { url, updatedAt });
  }

  /** Before a write, as its result may get lost. */
  forgetTarget(id: string): void {
    this.#targets.delete(id);
  }

  /** Records a code that this process has created for a name, so that rows find it while no read shows it yet. */
  setCreated({ updatedAt: _, ...code }: QrCode, name: string): void {
    remember(this.#created, ignoreCase(name), { code: code as QrCode, at: Date.now() });
  }

  /** The code that this process has just created for a name. */
  createdAs(name: string): QrCode | undefined {
    return this.#ifNew(this.#created.get(ignoreCase(name)));
  }

  /** The code that this process has just created and that matches. */
  findCreated(matches: (code: QrCode) => boolean): QrCode | undefined {
    for (const created of this.#created.values()) if (matches(created.code)) return this.#ifNew(created);
    return undefined;
  }

  #ifNew(created: { code: QrCode; at: number } | undefined): QrCode | undefined {
    return created !== undefined && Date.now() - created.at < MAX_LATENESS_MS ? created.code : undefined;
  }
}

/**
 * Makes a function that runs work with the same key one after the other, in the order of the calls. Work with other keys
 * runs at once.
 */
export function turns(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const latest = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (latest.get(key) ?? Promise.resolve()).then(work, work);
    latest.set(key, result);
    const forget = () => latest.get(key) === result && latest.delete(key);
    result.then(forget, forget);
    return result;
  };
}

const memories = new Map<string, CodeMemory>();

/** This process's memory of an account. */
export function codeMemoryFor({ baseUrl, apiKey }: Pick<Connection, 'apiKey' | 'baseUrl'>): CodeMemory {
  const account = idempotencyKeyFrom([baseUrl, apiKey]);
  const memory = memories.get(account) ?? new CodeMemory();
  remember(memories, account, memory);
  return memory;
}

function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  const [oldest] = entries.keys();
  if (entries.size >= MAX_REMEMBERED && oldest !== undefined) entries.delete(oldest);
  entries.set(key, value);
}

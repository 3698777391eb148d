import { idempotencyKeyFrom } from '../../client/idempotencyKey.ts';
import type { QrCode } from '../../contract/types.ts';
import type { Connection } from '../inputs/connection.ts';
import { turns } from './inOrder.ts';
import { ignoreCase } from './qrCode.ts';
import { linkKeys } from './reference.ts';

/** How late reads may be, in milliseconds. */
export const MAX_LATENESS_MS = 10 * 60 * 1000;

/** Codes and accounts that are remembered. The oldest is forgotten first. */
const MAX_REMEMBERED = 20_000;

type Version = Pick<QrCode, 'id'> & { updatedAt?: string | undefined };

const memories = new Map<string, CodeMemory>();

/**
 * What a process knows about the codes of one account from its own writes: nothing documented says where a code
 * points, and a list may show new codes late. It can be lost at any time: the codes are then written again.
 */
export class CodeMemory {
  readonly #targets = new Map<string, { url: string; updatedAt: string | undefined }>();
  readonly #created = new Map<string, { code: QrCode; at: number }[]>();
  /** Runs work on a code after earlier work on it. */
  readonly inTurn = turns();

  /** This process's memory of an account. */
  static of({ baseUrl, apiKey }: Pick<Connection, 'apiKey' | 'baseUrl'>): CodeMemory {
    const account = idempotencyKeyFrom([baseUrl, apiKey]);
    const memory = memories.get(account) ?? new CodeMemory();
    remember(memories, account, memory);
    return memory;
  }

  /** Where this process has pointed a code that nobody has changed since; undefined if that isn't known. */
  targetOf({ id, updatedAt }: Version): string | undefined {
    const target = this.#targets.get(id);
    return updatedAt !== undefined && target?.updatedAt === updatedAt ? target.url : undefined;
  }

  /** Records where a code points: `code` is how it was after that. */
  setTarget({ id, updatedAt }: Version, url: string): void {
    remember(this.#targets, id, { url, updatedAt });
  }

  /** Before a write, as its result may get lost. */
  forgetTarget(id: string): void {
    this.#targets.delete(id);
  }

  /** Records a code that this process has created for a name, so that rows find it while no read shows it yet. */
  setCreated({ updatedAt: _, ...code }: QrCode, name: string): void {
    const created = { code: code as QrCode, at: Date.now() };
    const [link] = linkKeys(code.publicUrl);
    for (const key of [`id ${code.id}`, `link ${link}`, `name ${ignoreCase(name)}`]) {
      const recent = this.#recent(key);
      recent.push(created);
      remember(this.#created, key, recent);
    }
  }

  /** The codes that this process has just created, by their ID, by their short link or by a name, which several may have. */
  created(by: 'id' | 'link' | 'name', value: string): QrCode[] {
    return formsOf(by, value)
      .flatMap((form) => this.#recent(`${by} ${form}`))
      .map(({ code }) => code);
  }

  #recent(key: string) {
    const created = this.#created.get(key) ?? [];
    while (created[0] !== undefined && Date.now() - created[0].at >= MAX_LATENESS_MS) created.shift();
    return created;
  }
}

/** The forms of an ID, a short link or a name that mean the same. */
function formsOf(by: 'id' | 'link' | 'name', value: string): string[] {
  if (by === 'id') return [value];
  return by === 'link' ? linkKeys(value) : [ignoreCase(value)];
}

function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  const [oldest] = entries.keys();
  if (entries.size >= MAX_REMEMBERED && oldest !== undefined) entries.delete(oldest);
  entries.set(key, value);
}

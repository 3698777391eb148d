import type { QrCodes } from '../client/QrCodes.ts';
import type { QrCode } from '../contract/types.ts';
import { isProvenAbsent } from '../errors/isProvenAbsent.ts';
import { readTime } from '../wire/time.ts';
import { readCodeReference, type CodeReference } from './codeReference.ts';
import { isDeleted } from './codeStatus.ts';
import { normalize } from './codeText.ts';
import { once } from './once.ts';
import type { ParameterError } from './parameters/ParameterError.ts';
import { isSearchLimit, searchPages, type FindOptions } from './searchPages.ts';
import { codeOpenedBy, isExactly, readShortLink } from './shortLink.ts';

/** Options of a code index. */
export interface CodeIndexOptions extends FindOptions {
  /**
   * How many lookups to expect. For many, IDs are looked up in the list first, as a page of it replaces up to a hundred
   * requests.
   * @default 1
   */
  lookups?: number;
}

/** Lookups for which one page of the list is read, before IDs are fetched one by one. */
const LOOKUPS_PER_PAGE = 10;
/** How far back changes are read again, in milliseconds: a service's clocks may differ, and a list may be late. */
const OVERLAP_MS = 10 * 60 * 1000;

/**
 * Finds existing codes by ID, short link or exact name. A lookup returns a code that was found, returns nothing if the
 * service's own responses show none, or throws if that isn't known. A list may show a new code late, so nothing is only as
 * good as what the caller knows about recent creations.
 */
export class CodeIndex {
  readonly #qr: Pick<QrCodes, 'get' | 'list'>;
  readonly #options: FindOptions;
  readonly #maxPages: number;
  readonly #fetched = new Map<string, Promise<QrCode | undefined>>();
  /** The codes that were listed so far, by ID. */
  readonly #listed = new Map<string, QrCode>();
  readonly #byPage = new Map<string, Set<string>>();
  readonly #byName = new Map<string, Set<string>>();
  /** Why only a part of the list was read, if there was no time for the rest. */
  #limit: ParameterError | undefined;
  #isWholeListWanted = false;
  readonly #readAll: () => Promise<void>;
  readonly #readFirst: () => Promise<void>;
  #changesBeingRead: Promise<void> | undefined;
  #nextChanges: Promise<void> | undefined;

  constructor(qr: Pick<QrCodes, 'get' | 'list'>, { lookups = 1, ...options }: CodeIndexOptions) {
    this.#qr = qr;
    this.#options = options;
    this.#maxPages = Math.floor(lookups / LOOKUPS_PER_PAGE);
    const read = (pages: number) =>
      this.#read(pages).catch((error: unknown) => {
        if (!isSearchLimit(error)) throw error;
        // Reading it again would take as long.
        this.#limit = error;
      });
    this.#readAll = once(() => read(Infinity));
    this.#readFirst = once(() => read(this.#maxPages));
  }

  /**
   * The code with an ID, an API URL or a short link.
   * @throws ParameterError `ambiguous_link` if a short link opens several codes, `search_limit` if no code that was read has
   * exactly this link and there was no time to read all
   */
  async find(named: string): Promise<QrCode | undefined> {
    const reference = readRowReference(named);
    if ('id' in reference) return this.findById(reference.id);
    await this.#readWholeList();
    const link = readShortLink(named);
    const code = codeOpenedBy(reference.shortLink, this.#in(this.#byPage, link.page));
    if (code !== undefined && isExactly(link, readShortLink(code.publicUrl))) return code;
    if (this.#limit !== undefined) throw this.#limit;
    return code;
  }

  /** The code with an ID. A list may show a new code late, so one that it doesn't have is fetched. */
  async findById(id: string): Promise<QrCode | undefined> {
    if (this.#isWholeListWanted) await this.#readWholeList();
    else if (this.#maxPages > 0) await this.#readFirst();
    return this.#listed.get(id) ?? (await this.#fetch(id));
  }

  /**
   * The codes with exactly a name.
   * @throws ParameterError `search_limit` if there was no time to read all codes: another may have the name, too
   */
  async named(name: string): Promise<readonly QrCode[]> {
    await this.#readWholeList();
    if (this.#limit !== undefined) throw this.#limit;
    return this.listedAs(name);
  }

  /** The codes with exactly a name, as far as the list was read. */
  listedAs(name: string): readonly QrCode[] {
    return this.#in(this.#byName, normalize(name));
  }

  /** Whether the list has the code, as far as it was read. */
  hasListed(id: string): boolean {
    return this.#listed.has(id);
  }

  /** Reads what was changed since the list was read. The reading starts after this call; calls meanwhile share it. */
  readChanges(): Promise<void> {
    if (this.#changesBeingRead === undefined) return this.#startReadingChanges();
    this.#nextChanges ??= this.#changesBeingRead
      .catch(() => undefined)
      .then(() => {
        this.#nextChanges = undefined;
        return this.#startReadingChanges();
      });
    return this.#nextChanges;
  }

  #startReadingChanges(): Promise<void> {
    const reading = this.#read(Infinity, this.#newestChange()).finally(() => {
      this.#changesBeingRead = undefined;
    });
    this.#changesBeingRead = reading;
    return reading;
  }

  /** A time before which nothing has changed since the list was read, by the service's own clock. */
  #newestChange(): string | undefined {
    const times = [...this.#listed.values()].map(({ updatedAt }) => readTime(updatedAt) ?? NaN);
    const newest = times.reduce((latest, time) => (time > latest ? time : latest), -Infinity);
    return newest === -Infinity ? undefined : new Date(newest - OVERLAP_MS).toISOString();
  }

  async #readWholeList(): Promise<void> {
    this.#isWholeListWanted = true;
    await this.#readAll();
  }

  async #read(maxPages: number, updatedSince?: string): Promise<void> {
    const query = updatedSince === undefined ? {} : { updatedSince };
    let pages = 0;
    for await (const { rows } of searchPages(this.#qr, query, this.#options)) {
      for (const code of rows) this.#add(code);
      pages += 1;
      if (pages === maxPages) return;
    }
  }

  #add(code: QrCode): void {
    const { id } = code;
    const before = this.#listed.get(id);
    if (before !== undefined) {
      this.#byPage.get(readShortLink(before.publicUrl).page)?.delete(id);
      this.#byName.get(normalize(before.name))?.delete(id);
      this.#listed.delete(id);
    }
    if (isDeleted(code)) return;
    this.#listed.set(id, code);
    for (const [ids, key] of [
      [this.#byPage, readShortLink(code.publicUrl).page],
      [this.#byName, normalize(code.name)],
    ] as const)
      ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }

  #in(index: Map<string, Set<string>>, key: string): QrCode[] {
    return [...(index.get(key) ?? [])].flatMap((id) => this.#listed.get(id) ?? []);
  }

  /** Fetches the code with an ID, as it is now. */
  async fetch(id: string): Promise<QrCode | undefined> {
    try {
      const code = await this.#qr.get(id, this.#options);
      return isDeleted(code) ? undefined : code;
    } catch (error) {
      if (isProvenAbsent(error)) return undefined;
      throw error;
    }
  }

  /** The same, once for each code that exists. */
  async #fetch(id: string): Promise<QrCode | undefined> {
    const fetching = this.#fetched.get(id) ?? this.fetch(id);
    this.#fetched.set(id, fetching);
    let code: QrCode | undefined;
    try {
      code = await fetching;
      return code;
    } finally {
      if (code === undefined) this.#fetched.delete(id);
    }
  }
}

/** How a row names its code. A printed link whose host has no dot looks like an ID. */
export function readRowReference(named: string): CodeReference {
  const reference = readCodeReference(named);
  return 'id' in reference && reference.id.includes('/') ? { shortLink: reference.id } : reference;
}

import type { QrCodes } from '../../client/QrCodes.ts';
import type { CallOptions } from '../../client/RequestExecutor.ts';
import type { Page, QrCode } from '../../contract/types.ts';
import { isProvenAbsent, isTransportError } from '../../errors/guards.ts';
import { readTime } from '../../wire/time.ts';
import { CodeMemory, MAX_LATENESS_MS } from './CodeMemory.ts';
import { foldCase, ignoreCase, normalize } from './qrCode.ts';
import { codeNotFound, onlyOne, searchLimit } from './qrCodeErrors.ts';
import { linkKeys, readCodeReference } from './reference.ts';

/** Options of a `CodeFinder`. */
export interface FinderOptions extends CallOptions {
  /** How many lookups to expect: a page of the list replaces up to a hundred lookups by ID. */
  lookups?: number;
  /** How long the list may be read, in milliseconds: the API has no search, and platforms limit the time of a step. */
  searchMs?: number;
  /** Codes that this process has just created, which no read may show yet. */
  memory?: CodeMemory;
}

/** Lookups for which one page of the list is read, before IDs are fetched one by one. */
const LOOKUPS_PER_PAGE = 10;

/** A text in the forms that a search compares. */
type Forms = ReturnType<typeof formsOf>;

/** A code with the forms of its texts, which are made once. */
interface Entry {
  code: QrCode;
  name: Forms;
  slug: Forms;
}

/** How many codes a search by a part of a name rules out at once. */
const GROUP_SIZE = 100;

/** How well a code fits a search: it is the one meant, it has the name, a name that is alike, or a part of it. */
type Rank = 'referred' | 'named' | 'alike' | 'partly';

/**
 * Finds the codes of a run. The list is read only once, and only as far as lookups need it. A lookup returns nothing only
 * if the service's own responses show that there is nothing; otherwise it throws.
 */
export class CodeFinder {
  readonly #qr: Pick<QrCodes, 'get' | 'list'>;
  readonly #options: CallOptions;
  #maxPages: number;
  readonly #searchMs: number;
  readonly #memory: CodeMemory;
  readonly #codes = new Map<string, Entry>();
  /** By name and slug, in any case; after a change, also by the earlier ones. */
  readonly #idsByText = new Map<string, Set<string>>();
  /** The codes in groups, each with the folded texts of all its codes; none after a change. */
  #groups: { text: string; entries: Entry[] }[] = [];
  readonly #idByLink = new Map<string, string>();
  readonly #fetching = new Map<string, Promise<QrCode | undefined>>();
  #pages: AsyncIterator<Page<QrCode>> | undefined;
  #page: Promise<void> | undefined;
  #pagesRead = 0;
  #isComplete = false;
  #endsAt: number | undefined;

  constructor(
    qr: Pick<QrCodes, 'get' | 'list'>,
    { lookups = 1, searchMs = Infinity, memory = new CodeMemory(), ...options }: FinderOptions = {},
  ) {
    this.#qr = qr;
    this.#options = options;
    this.#maxPages = Math.floor(lookups / LOOKUPS_PER_PAGE);
    this.#searchMs = searchMs;
    this.#memory = memory;
  }

  /** Expects this many lookups, if they are more than so far. */
  expect(lookups: number): void {
    this.#maxPages = Math.max(this.#maxPages, Math.floor(lookups / LOOKUPS_PER_PAGE));
  }

  /** The ID of the code that a user means. Only a short link is looked up. */
  async idOf(named: string): Promise<string> {
    const reference = readCodeReference(named);
    if ('id' in reference) return reference.id;
    return (await this.find(named, 'Check the link, or use the ID of the QR code instead.')).id;
  }

  /** The code with an ID, an API URL or a short link. `advice` says what to do if there is none. */
  async find(named: string, advice: string): Promise<QrCode> {
    const reference = readCodeReference(named);
    const code = await ('id' in reference ? this.byId(reference.id) : this.byLink(reference.shortLink));
    if (code === undefined) throw codeNotFound(named, advice);
    return code;
  }

  /** The code with an ID: as this run has last seen it, or else fetched. */
  async byId(id: string): Promise<QrCode | undefined> {
    await this.#readUntil(() => this.#codes.has(id) || this.#pagesRead >= this.#maxPages || this.#isLate);
    const known = this.#codes.get(id);
    if (known !== undefined) return known.code;
    const fetching = this.#fetching.get(id) ?? this.#fetch(id).finally(() => this.#fetching.delete(id));
    this.#fetching.set(id, fetching);
    return fetching;
  }

  /** The code with a short link. */
  async byLink(link: string): Promise<QrCode | undefined> {
    const [key] = linkKeys(link);
    await this.#readUntil(() => this.#idByLink.has(key));
    const [created] = this.#memory.created('link', link);
    return this.knownByLink(link) ?? (created && this.byId(created.id));
  }

  /**
   * The code with a name, or if there is none, the one whose name differs only in case.
   * @throws ParameterError `ambiguous_name` if there are several
   */
  async byName(name: string): Promise<QrCode | undefined> {
    await this.#readUntil(() => false);
    const unlisted = this.#memory.created('name', name).filter(({ id }) => !this.#codes.has(id));
    await Promise.all(unlisted.map(({ id }) => this.byId(id)));
    const wanted = formsOf(name);
    const alike = this.#namedLike(wanted).filter((entry) => entry.name.ignoringCase === wanted.ignoringCase);
    const named = alike.filter((entry) => entry.name.text === wanted.text);
    const codes = (named.length > 0 ? named : alike).map(({ code }) => code);
    return onlyOne(name, codes);
  }

  /**
   * The codes that a text means, best match first: by ID, slug or short link; by the exact name; by the name in another case,
   * with `exact` only if there is none so far, and otherwise also without accents; and unless `exact`, by a part of the name or
   * slug.
   */
  async search(text: string, { exact = false } = {}): Promise<QrCode[]> {
    await this.#readUntil(() => false);
    const reference = readCodeReference(text);
    const referred = 'id' in reference ? this.#codes.get(reference.id)?.code : this.knownByLink(text);
    const wanted = formsOf(text);
    const found: Record<Rank, QrCode[]> = { referred: [], named: [], alike: [], partly: [] };
    if (referred !== undefined) found.referred.push(referred);
    for (const entry of exact ? this.#namedLike(wanted) : this.#withPart(wanted)) {
      const rank = rankOf(entry, wanted, exact);
      if (rank !== undefined && entry.code !== referred) found[rank].push(entry.code);
    }
    const whole = [...found.referred, ...found.named];
    return exact && whole.length > 0 ? whole : [...whole, ...found.alike, ...found.partly];
  }

  /** The code with a short link, if this run has seen it. */
  knownByLink(link: string): QrCode | undefined {
    const ids = linkKeys(link).map((key) => this.#idByLink.get(key) ?? '');
    return ids.map((id) => this.#codes.get(id)?.code).find((code) => code !== undefined);
  }

  /** A code as this run has last seen it, or else what is known of it. */
  latest<Known extends Pick<QrCode, 'id'>>(known: Known): QrCode | Known {
    return this.#codes.get(known.id)?.code ?? known;
  }

  /** Records a code as a write has left it. */
  add(code: QrCode): void {
    const { id, publicUrl } = code;
    const name = formsOf(code.name);
    const slug = formsOf(code.slug);
    this.#codes.set(id, { code, name, slug });
    this.#groups = [];
    this.#idByLink.set(linkKeys(publicUrl)[0], id);
    for (const { ignoringCase } of [name, slug]) {
      const ids = this.#idsByText.get(ignoringCase) ?? new Set();
      this.#idsByText.set(ignoringCase, ids.add(id));
    }
  }

  /** Reads what was changed since the list was read. */
  async readChanges(): Promise<void> {
    let newest = MAX_LATENESS_MS;
    for (const { code } of this.#codes.values()) newest = Math.max(newest, timeOf(code));
    const updatedSince = new Date(newest - MAX_LATENESS_MS).toISOString();
    for await (const { rows } of this.#qr.list({ updatedSince }, this.#options).pages()) this.#addRead(rows);
  }

  /** The codes that have or had this name or slug, in any case. */
  #namedLike({ ignoringCase }: Forms): Entry[] {
    return [...(this.#idsByText.get(ignoringCase) ?? [])].map((id) => this.#codes.get(id) as Entry);
  }

  /** The codes of which a part of the name or slug may be this text, in any case and with any accents. */
  #withPart({ folded }: Forms): Entry[] {
    const entries = this.#groups.length === 0 ? [...this.#codes.values()] : [];
    for (let at = 0; at < entries.length; at += GROUP_SIZE) {
      const group = entries.slice(at, at + GROUP_SIZE);
      const texts = group.flatMap((entry) => [entry.name.folded, entry.slug.folded]);
      this.#groups.push({ text: texts.join('\n'), entries: group });
    }
    return this.#groups.filter(({ text }) => text.includes(folded)).flatMap((group) => group.entries);
  }

  get #isLate(): boolean {
    return this.#endsAt !== undefined && this.#pagesRead > 0 && Date.now() >= this.#endsAt;
  }

  /** Reads the list on until that is enough, or to its end. */
  async #readUntil(isEnough: () => boolean): Promise<void> {
    while (!isEnough() && !this.#isComplete)
      await (this.#page ??= this.#readPage().finally(() => (this.#page = undefined)));
  }

  async #readPage(): Promise<void> {
    // If the search ended here, "find or create" would create a duplicate.
    if (this.#isLate) throw searchLimit(this.#searchMs);
    this.#endsAt ??= Date.now() + this.#searchMs;
    this.#pages ??= this.#qr.list({}, this.#options).pages()[Symbol.asyncIterator]();
    try {
      const page = await this.#pages.next();
      this.#pagesRead += 1;
      this.#isComplete = page.done === true || page.value.nextCursor === undefined;
      if (page.done !== true) this.#addRead(page.value.rows);
    } catch (error) {
      this.#pages = undefined;
      // If a platform ended the search, it would end the next one, too.
      const isCut = this.#pagesRead > 0 && isTransportError(error) && error.code === 'deadline';
      throw isCut && Number.isFinite(this.#searchMs) ? searchLimit(this.#searchMs) : error;
    }
  }

  /** A read may be late: what this run has written counts. */
  #addRead(codes: readonly QrCode[]): void {
    for (const code of codes) if (timeOf(code) >= timeOf(this.latest(code))) this.add(code);
  }

  async #fetch(id: string): Promise<QrCode | undefined> {
    const code = await this.#qr.get(id, this.#options).catch((error: unknown) => {
      if (isProvenAbsent(error)) return this.#memory.created('id', id)[0];
      throw error;
    });
    if (code !== undefined) this.add(code);
    return code;
  }
}

function formsOf(value: unknown) {
  const text = normalize(value);
  return { text, ignoringCase: ignoreCase(text), folded: foldCase(text) };
}

/** How well a code's texts fit a search; undefined if they don't. With `exact`, a part doesn't count, and accents do. */
function rankOf({ name, slug }: Entry, wanted: Forms, exact: boolean): Rank | undefined {
  if (slug.text === wanted.text) return 'referred';
  if (name.text === wanted.text) return 'named';
  if (exact) return name.ignoringCase === wanted.ignoringCase ? 'alike' : undefined;
  if (name.folded === wanted.folded) return 'alike';
  // Accents alone leave an empty text, which every text contains.
  const isPart = name.folded.includes(wanted.folded) || slug.folded.includes(wanted.folded);
  return wanted.folded !== '' && isPart ? 'partly' : undefined;
}

function timeOf(code: QrCode): number {
  return readTime(code.updatedAt) ?? 0;
}

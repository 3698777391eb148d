import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode } from '../contract/types.ts';
import { isApiError } from '../errors/ApiError.ts';
import type { QrCodes } from '../client/QrCodes.ts';
import { readCodeReference, shortLinkKey, type CodeReference } from './codeReference.ts';
import { normalise } from './codeText.ts';
import { once } from './once.ts';
import { ParameterError } from './parameters/ParameterError.ts';
import { INPUTS } from './inputs.ts';

/** Options of a code index. */
export interface CodeIndexOptions extends CallOptions {
  /**
   * How many lookups to expect. For many, IDs are looked up in the list first, as a page of it replaces up to a hundred
   * requests.
   * @default 1
   */
  lookups?: number;
  /**
   * Maximum number of codes to look through for a name or a short link: the API has no search.
   * @default Infinity
   */
  maxCodes?: number;
}

/** Lookups for which one page of the list is read, before IDs are fetched one by one. */
const LOOKUPS_PER_PAGE = 10;

/** A list of codes that was read, at least in part. */
interface Listed {
  byId: Map<string, QrCode>;
  byLink: Map<string, QrCode>;
  byName: Map<string, QrCode[]>;
  /** Whether the workspace has more codes. */
  isCut: boolean;
}

/**
 * Finds existing codes by ID, short link or exact name. For names and short links the whole list is read, once. A code
 * that the service deleted doesn't exist, even if the list still has it.
 */
export class CodeIndex {
  readonly #qr: Pick<QrCodes, 'get' | 'list'>;
  readonly #options: CallOptions;
  readonly #maxCodes: number;
  readonly #maxPages: number;
  readonly #fetched = new Map<string, Promise<QrCode | undefined>>();
  #isListed = false;
  #listed: Listed | undefined;
  #readAll: () => Promise<Listed>;
  readonly #readFirst: () => Promise<Listed>;
  readonly #readAgain: () => Promise<void>;

  constructor(
    qr: Pick<QrCodes, 'get' | 'list'>,
    { lookups = 1, maxCodes = Infinity, ...options }: CodeIndexOptions,
  ) {
    this.#qr = qr;
    this.#options = options;
    this.#maxCodes = maxCodes;
    this.#maxPages = Math.floor(lookups / LOOKUPS_PER_PAGE);
    this.#readAll = once(() => this.#read(Infinity));
    this.#readFirst = once(() => this.#read(this.#maxPages));
    this.#readAgain = once(async () => {
      this.#readAll = once(() => this.#read(Infinity));
      await this.#readAll();
    });
  }

  /** The code with an ID, an API URL or a short link. */
  async find(named: string): Promise<QrCode | undefined> {
    const reference = readRowReference(named);
    if ('id' in reference) return this.findById(reference.id);
    const listed = await this.#all();
    const code = listed.byLink.get(shortLinkKey(reference.shortLink));
    if (code === undefined) refuseIfCut(listed);
    return code;
  }

  /** The code with an ID. A list may show a new code late, so one that it doesn't have is fetched. */
  async findById(id: string): Promise<QrCode | undefined> {
    const listed = this.#isListed ? await this.#all() : await this.#first();
    return listed?.byId.get(id) ?? (await this.#fetch(id));
  }

  /** The codes with exactly a name. */
  async named(name: string): Promise<readonly QrCode[]> {
    const listed = await this.#all();
    const codes = listed.byName.get(normalise(name)) ?? [];
    if (codes.length === 0) refuseIfCut(listed);
    return codes;
  }

  /** Whether the list has the code, as far as it was read. */
  hasListed(id: string): boolean {
    return this.#listed?.byId.has(id) === true;
  }

  /** Makes the index read the list again, at most once. */
  refresh(): Promise<void> {
    return this.#readAgain();
  }

  async #all(): Promise<Listed> {
    this.#isListed = true;
    this.#listed = await this.#readAll();
    return this.#listed;
  }

  async #first(): Promise<Listed | undefined> {
    return this.#maxPages === 0 ? undefined : this.#readFirst();
  }

  async #read(maxPages: number): Promise<Listed> {
    const listed: Listed = { byId: new Map(), byLink: new Map(), byName: new Map(), isCut: false };
    let pages = 0;
    for await (const { rows } of this.#qr.list({}, this.#options).pages()) {
      for (const code of rows) {
        listed.isCut = listed.byId.size >= this.#maxCodes;
        if (listed.isCut) return listed;
        addTo(listed, code);
      }
      pages += 1;
      if (pages === maxPages) break;
    }
    return listed;
  }

  /** Fetches the code with an ID, as it is now. */
  async read(id: string): Promise<QrCode | undefined> {
    try {
      const code = await this.#qr.get(id, this.#options);
      return isDeleted(code) ? undefined : code;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #fetch(id: string): Promise<QrCode | undefined> {
    const fetched =
      this.#fetched.get(id) ??
      this.read(id).catch((error: unknown) => {
        this.#fetched.delete(id);
        throw error;
      });
    this.#fetched.set(id, fetched);
    return fetched;
  }
}

/** How a row names its code. A printed link whose host has no dot looks like an ID. */
export function readRowReference(named: string): CodeReference {
  const reference = readCodeReference(named);
  return 'id' in reference && reference.id.includes('/') ? { shortLink: reference.id } : reference;
}

function addTo({ byId, byLink, byName }: Listed, code: QrCode): void {
  if (isDeleted(code)) return;
  byId.set(code.id, code);
  const link = shortLinkKey(code.publicUrl);
  if (link !== '') byLink.set(link, code);
  const name = normalise(code.name);
  const namesakes = byName.get(name);
  if (namesakes === undefined) byName.set(name, [code]);
  else namesakes.push(code);
}

function isDeleted({ status }: QrCode): boolean {
  return status === 'deleted';
}

/** Whether the service itself responded that a code doesn't exist. A proxy's 404 isn't about the code. */
function isMissing(error: unknown): boolean {
  return isApiError(error) && error.intermediary === undefined && [404, 410].includes(error.status);
}

/** Refuses to say that a code doesn't exist if the workspace has more codes than were read. */
function refuseIfCut({ isCut, byId }: Listed): void {
  if (!isCut) return;
  throw new ParameterError(`None of the first ${byId.size} QR codes matches, and the workspace has more.`, {
    code: 'search_limit',
    parameter: INPUTS.qrCodeId.label,
    advice: "Use the QR code's ID instead.",
  });
}

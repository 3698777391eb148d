import { idempotencyKeyFrom } from '../client/idempotencyKey.ts';
import type { QrCodes, ReplayEvidence } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode, QrCodeInput } from '../contract/types.ts';
import { isApiError } from '../errors/ApiError.ts';
import { isProvenAbsent } from '../errors/isProvenAbsent.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { CodeIndex, readRowReference, type CodeIndexOptions } from './CodeIndex.ts';
import { CodeMemory, idKey, linkKey, nameKey, type KnownState } from './CodeMemory.ts';
import { isArchived, isPublished } from './codeStatus.ts';
import { isRenamed, normalize } from './codeText.ts';
import {
  isNotPublishedError,
  notPublished,
  orNotPublished,
  publishCreated,
  publishDraft,
} from './createAndPublish.ts';
import { isSameUrl } from './targetUrl.ts';
import {
  archived,
  checkNewCode,
  codeNotFound,
  isNotVisible,
  namesNotKept,
  notListed,
  notVisible,
  onlyOne,
  refuseOutside,
  refuseRenamed,
  renamed,
} from './upsertErrors.ts';

/** A code that should exist and point to a target. */
export interface UpsertRow {
  /**
   * The code's ID, API URL or short link. If it doesn't exist, the row fails: only a row without one creates a code.
   * @default none
   */
  code?: string | undefined;
  /**
   * Whether the code with exactly this name is the one, if `code` is empty.
   * @default false
   */
  matchByName?: boolean;
  /** Name of a new code. An existing code keeps its name. */
  name: string;
  /** Where the code should point: an absolute URL. */
  targetUrl: string;
}

/** What can become of a row. */
export const UPSERT_OUTCOMES = ['created', 'retargeted', 'unchanged'] as const;
/** What became of a row: `unchanged` means that the code was already published and pointed to the target. */
type UpsertOutcome = (typeof UPSERT_OUTCOMES)[number];

/** A row's code, which now points to the row's target. */
export interface UpsertResult {
  outcome: UpsertOutcome;
  code: QrCode;
  /** Where a retargeted code pointed before, if that is known: the API text shows no way to read it. */
  previousUrl?: string;
}

/** A write that a row may need. */
type UpsertWrite = 'create' | 'publish' | 'retarget';

/**
 * The options of a row's write. `payload` identifies it, for an Idempotency-Key that other runs don't have: a replay from
 * an earlier run would leave the code as it is.
 */
export type UpsertCallOptions = (
  write: UpsertWrite,
  payload: Readonly<Record<string, unknown>>,
) => CallOptions;

/** Options of a `CodeUpserter`. */
export interface UpserterOptions extends CodeIndexOptions {
  /**
   * What earlier runs know about the account's codes.
   * @default nothing
   */
  memory?: CodeMemory;
}

/** The part of the client that creates, finds and updates codes. */
export interface UpsertClient {
  qr: Pick<QrCodes, 'checkTargets' | 'create' | 'get' | 'list' | 'publish' | 'retarget'>;
}

/** After a write that succeeded. */
type NewState = KnownState & { targetUrl: string };

/** Reads that may be late don't prove that a code doesn't exist for so long after its creation, in milliseconds. */
const MAX_LATENESS_MS = 10 * 60 * 1000;

/**
 * Creates or retargets the codes of one run: a row whose code exists is pointed to its target, a row without a code gets a
 * new, published one. Nothing else about an existing code changes, except that a draft is published.
 *
 * Rows about the same code run in their order, so that the last one wins and a new code is created once. Across runs and
 * processes, the Idempotency-Key of a code that rows name depends only on that name: the service then replays its creation
 * for 24 hours (API text, "Limits", 3), whether or not a list shows it yet.
 */
export class CodeUpserter {
  readonly #client: UpsertClient;
  readonly #codes: CodeIndex;
  readonly #memory: CodeMemory;
  /** The codes that this run has written, as they are since. After a failed write, nobody knows where they point. */
  readonly #written = new Map<string, { code: QrCode; targetUrl: string | undefined }>();
  /** Ends of the rows that work on a code, by the code. */
  readonly #latest = new Map<string, Promise<unknown>>();
  /** Resolves when the latest row has taken its turn. */
  #placed: Promise<unknown> = Promise.resolve();
  /** The creation by name that shows whether the service keeps names, while it runs. */
  #trial: Promise<unknown> | undefined;

  constructor(client: UpsertClient, { memory = new CodeMemory(), ...options }: UpserterOptions = {}) {
    this.#client = client;
    this.#codes = new CodeIndex(client.qr, options);
    this.#memory = memory;
  }

  /**
   * Creates or retargets a row's code. Call it in the order of the rows, without waiting for the previous ones.
   * @throws QrServiceError `target_not_allowed`, before any request, if the client doesn't allow the row's target
   * @throws ParameterError, before anything is written, if the row's code doesn't exist, is archived or is known to point
   * outside the client's `allowedTargets`, or if several codes have its name or short link
   * @throws NotPublishedError if a code was created but not published; the next run publishes it
   */
  async upsert(row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    this.#client.qr.checkTargets({ targetUrl: row.targetUrl });
    const isNamed = normalize(row.code) !== '';
    if (!isNamed) checkNewCode(row);
    if (!isNamed && row.matchByName !== true) return this.#create(row, options);
    const found = isNamed
      ? this.#findByReference(row.code ?? '')
      : this.#codes.named(row.name).then((codes) => this.#onlyOne(row.name, codes));
    const placed = this.#placed.then(async () => {
      const code = await found;
      const turn = code === undefined ? nameKey(row.name) : idKey(code.id);
      const work = () =>
        code === undefined ? this.#createByName(row, options) : this.#point(code, row, options);
      // In an object, because a promise would be awaited.
      return { done: this.#inTurn(turn, work) };
    });
    this.#placed = placed.catch(() => undefined);
    // It may fail before it is awaited.
    found.catch(() => undefined);
    return (await placed).done;
  }

  #inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#latest.get(key) ?? Promise.resolve()).then(work, work);
    this.#latest.set(key, result);
    const forget = () => {
      if (this.#latest.get(key) === result) this.#latest.delete(key);
    };
    result.then(forget, forget);
    return result;
  }

  async #findByReference(named: string): Promise<QrCode> {
    const code = (await this.#codes.find(named)) ?? (await this.#createdAs(named));
    if (code === undefined) throw codeNotFound(named);
    return code;
  }

  /** The code that this process has created with an ID or a short link: reads may show it late. */
  async #createdAs(named: string): Promise<QrCode | undefined> {
    const reference = readRowReference(named);
    return this.#remembered('id' in reference ? idKey(reference.id) : linkKey(reference.shortLink));
  }

  /** The code that this process has created, even if no read shows it yet. */
  async #remembered(key: string): Promise<QrCode | undefined> {
    const created = this.#memory.createdAs(key);
    if (created === undefined) return undefined;
    const { code, ageMs } = created;
    const found = this.#written.get(code.id)?.code ?? (await this.#codes.findById(code.id));
    if (found === undefined) return ageMs < MAX_LATENESS_MS ? (code as QrCode) : undefined;
    // Somebody has renamed it since.
    return key.startsWith('name:') && isRenamed(code.name, found) ? undefined : found;
  }

  /**
   * Points an existing code to the row's target, and publishes it if it isn't published.
   * @param isCurrent whether `found` is the code as it is now
   */
  async #point(
    found: QrCode,
    row: UpsertRow,
    options: UpsertCallOptions,
    isCurrent = true,
  ): Promise<UpsertResult> {
    const { targetUrl } = row;
    const { id } = found;
    const written = this.#written.get(id);
    let code = written?.code ?? found;
    if (isArchived(code)) throw archived(code);
    const before = written === undefined ? this.#memory.targetOf(code) : written.targetUrl;
    refuseOutside(this.#client.qr, code, before);
    const wasPublished = isPublished(code) || this.#memory.hasPublished(code);
    let outcome: UpsertOutcome = 'unchanged';
    let previousUrl: string | undefined;
    if (before === undefined || !isSameUrl(before, targetUrl)) {
      const payload = { id, url: targetUrl, updatedAt: code.updatedAt };
      const state = { targetUrl, published: wasPublished };
      code = await this.#retarget(code, state, options('retarget', payload), isCurrent && !wasPublished);
      outcome = 'retargeted';
      previousUrl = before;
    }
    if (!wasPublished && !isPublished(code)) {
      const payload = { id, updatedAt: code.updatedAt };
      const draft = code;
      const publish = () => publishDraft(this.#client, draft, options('publish', payload));
      code = await this.#change(draft, { targetUrl, published: true }, publish, true);
      outcome = 'retargeted';
    }
    if (row.matchByName === true && normalize(row.code) === '')
      refuseRenamed(row.name, code, this.#memory.keepsNames);
    return { outcome, code: { ...code, targetUrl }, ...omitUndefined({ previousUrl }) };
  }

  async #retarget(before: QrCode, state: NewState, options: CallOptions, isDraft: boolean): Promise<QrCode> {
    const { updatedAt: _updatedAt, ...lasting } = before;
    const retarget = async (): Promise<QrCode> => ({
      ...lasting,
      ...(await this.#client.qr.retarget(before.id, state.targetUrl, options)),
    });
    const code = await this.#change(before, state, retarget, isDraft);
    if (isArchived(code)) throw archived(code, true);
    return code;
  }

  /** Changes a code and records its new state. If that fails, its state isn't known, but a draft isn't published. */
  async #change(
    before: QrCode,
    state: NewState,
    write: () => Promise<QrCode>,
    isDraft: boolean,
  ): Promise<QrCode> {
    const { id } = before;
    this.#memory.forgetTarget(id);
    this.#written.set(id, { code: before, targetUrl: undefined });
    try {
      const code = await write();
      this.#record(code, state);
      return code;
    } catch (error) {
      if (!isProvenAbsent(error)) throw isDraft ? notPublished(before, error, !state.published) : error;
      // The service may be late, or have replayed the creation of a code that was deleted since.
      throw this.#memory.createdAs(idKey(id)) === undefined ? error : notVisible(before);
    }
  }

  #record(code: QrCode, state: NewState): void {
    this.#written.set(code.id, { code, targetUrl: state.targetUrl });
    // Without a status, nobody knows whether the service has published it.
    const isKnown = (code as Partial<QrCode>).status !== undefined;
    this.#memory.setState(code, { ...state, published: state.published && isKnown });
  }

  /** Creates the code that a row names, unless an earlier row or another run has created it in the meantime. */
  async #createByName(row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    const code = await this.#onlyOne(row.name);
    if (code !== undefined) return this.#point(code, row, options);
    while (this.#memory.keepsNames === undefined && this.#trial !== undefined) await this.#trial;
    const result = this.#createOrRefuse(row, options);
    if (this.#memory.keepsNames === undefined) {
      const end = () => (this.#trial = undefined);
      this.#trial = result.then(end, end);
    }
    return result;
  }

  /** The only code with a name, of those that are listed and the one that this process has created. */
  async #onlyOne(name: string, listed = this.#codes.listedAs(name)): Promise<QrCode | undefined> {
    const own = await this.#remembered(nameKey(name));
    const isListed = own === undefined || listed.some(({ id }) => id === own.id);
    return onlyOne(name, isListed ? listed : [...listed, own]);
  }

  async #createOrRefuse(row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    if (this.#memory.keepsNames === false) throw namesNotKept(row.name);
    const idempotencyKey = idempotencyKeyFrom(['create or update', nameKey(row.name)]);
    try {
      return await this.#create(row, options, idempotencyKey);
    } catch (error) {
      if (isApiError(error) && error.code === 'idempotency_conflict') {
        await this.#codes.readChanges();
        const code = await this.#onlyOne(row.name);
        if (code === undefined) throw notListed(row.name);
        return this.#point(code, row, options);
      }
      if (!isNotPublishedError(error)) throw error;
      const { cause, qrCode } = error;
      throw isProvenAbsent(cause) || isNotVisible(cause) ? notVisible(qrCode) : error;
    }
  }

  /** @param idempotencyKey for a code that rows name: its creation may be a replay */
  async #create(row: UpsertRow, options: UpsertCallOptions, idempotencyKey?: string): Promise<UpsertResult> {
    const { name, targetUrl } = row;
    const input: QrCodeInput = { name, mode: 'dynamic', contentType: 'url', content: { targetUrl } };
    let replay = undefined as ReplayEvidence | undefined;
    const created = await this.#client.qr.create(input, {
      ...options('create', { ...input }),
      ...omitUndefined({ idempotencyKey }),
      onReplay: (evidence) => {
        replay = evidence;
      },
    });
    const { id } = created;
    const isKnown = this.#memory.createdAs(nameKey(name))?.code.id === id || this.#codes.hasListed(id);
    this.#memory.setCreated(created, name);
    if (replay === 'marked' || (idempotencyKey !== undefined && isKnown))
      return this.#pointReplayed(created, row, options);
    this.#record(created, { targetUrl, published: false });
    const confirmed =
      replay === 'possible' ? await this.#confirmTarget(created, targetUrl, options) : created;
    const isOld = isPublished(confirmed) && !isPublished(created);
    const code = isOld
      ? confirmed
      : await publishCreated(this.#client, created, () => options('publish', { id }));
    this.#record(code, { targetUrl, published: true });
    if (idempotencyKey !== undefined) refuseRenamed(name, code, this.#memory.keepsNames);
    return { outcome: isOld ? 'retargeted' : 'created', code: { ...code, targetUrl } };
  }

  /** Sets the target of a code that was just created, unless its creation is an unmarked replay: it may point elsewhere by now. */
  #confirmTarget(created: QrCode, targetUrl: string, options: UpsertCallOptions): Promise<QrCode> {
    const call = options('retarget', { id: created.id, url: targetUrl });
    const state = { targetUrl, published: false };
    return orNotPublished(created, () => this.#retarget(created, state, call, false), true);
  }

  /** Points the code of a replayed creation to the row's target: it may have been changed since. */
  async #pointReplayed(created: QrCode, row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    const current = await this.#codes.fetch(created.id).catch(() => undefined);
    if (current === undefined) return this.#point(created, row, options, false);
    if (row.matchByName === true && isRenamed(created.name, current)) throw renamed(row.name, current);
    // If nobody has changed the draft, this finishes its creation.
    const isNew = !isPublished(current) && this.#memory.isUnchanged(created, current);
    const result = await this.#point(current, row, options);
    return isNew ? { ...result, outcome: 'created' } : result;
  }
}

import { idempotencyKeyFrom } from '../client/idempotencyKey.ts';
import type { QrCodes } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode, QrCodeInput } from '../contract/types.ts';
import { isApiError } from '../errors/ApiError.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { stableJson } from '../json/stableJson.ts';
import { CodeIndex, readRowReference, type CodeIndexOptions } from './codeIndex.ts';
import { CodeMemory } from './codeMemory.ts';
import { shortLinkKey } from './codeReference.ts';
import { normalise } from './codeText.ts';
import { orNotPublished, publishCreated } from './createAndPublish.ts';
import { INPUTS } from './inputs.ts';
import { missingParameter, ParameterError } from './parameters/ParameterError.ts';
import { showInput, showText } from './parameters/showValue.ts';
import { targetUrlOf } from './targetUrl.ts';

/** A code that should exist and point to a target. */
export interface UpsertRow {
  /**
   * The code's ID, API URL or short link; may be empty.
   * @default none
   */
  code?: string | undefined;
  /**
   * Whether the code with exactly this name is the one, if `code` is empty or doesn't exist.
   * @default false
   */
  matchByName?: boolean;
  /** Name of a new code; empty to create none. An existing code keeps its name. */
  name: string;
  /** Where the code should point. */
  targetUrl: string;
}

/** What can become of a row. */
export const UPSERT_OUTCOMES = ['created', 'retargeted', 'unchanged'] as const;
/** What became of a row: `unchanged` means that the code was already published and pointed to the target. */
export type UpsertOutcome = (typeof UPSERT_OUTCOMES)[number];

/** A row's code, which now points to the row's target. */
export interface UpsertResult {
  outcome: UpsertOutcome;
  code: QrCode;
  /** Where a retargeted code pointed before, if that is known: the API text shows no way to read it. */
  previousUrl?: string;
}

/** A write that a row may need. */
export type UpsertWrite = 'create' | 'publish' | 'retarget';

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
  qr: Pick<QrCodes, 'create' | 'get' | 'list' | 'publish' | 'retarget'>;
}

/** A row's code, or why there is none. */
type Place = { code: QrCode } | NewPlace;

/** A code that doesn't exist, and the ID of the one that rows named in the same way before. */
interface NewPlace {
  identity: string;
  gone: string | undefined;
}

/** Maximum number of codes that an error names. */
const MAX_SHOWN = 5;

/**
 * Creates or retargets the codes of one run: a row whose code exists is pointed to its target, any other gets a new,
 * published code. Nothing else about an existing code changes, except that a draft is published.
 *
 * Rows about the same code run in their order, so that the last one wins and a new code is created once. Across runs and
 * processes, a new code's Idempotency-Key depends only on how the row names it, so that a second run doesn't create a
 * duplicate while a list doesn't show the code yet.
 */
export class CodeUpserter {
  readonly #client: UpsertClient;
  readonly #codes: CodeIndex;
  readonly #memory: CodeMemory;
  /** The codes that this run has written, as they are since. After a failed write, nobody knows where they point. */
  readonly #written = new Map<string, { code: QrCode; targetUrl: string | undefined }>();
  /** Ends of the rows that work on a code, by the code. */
  readonly #latest = new Map<string, Promise<unknown>>();
  /** How rows named the codes that this run has created, by ID. */
  readonly #identities = new Map<string, string>();
  /** Resolves when the latest row has taken its turn. */
  #placed: Promise<unknown> = Promise.resolve();

  constructor(client: UpsertClient, { memory = new CodeMemory(), ...options }: UpserterOptions = {}) {
    this.#client = client;
    this.#codes = new CodeIndex(client.qr, options);
    this.#memory = memory;
  }

  /**
   * Creates or retargets a row's code. Call it in the order of the rows, without waiting for the previous ones.
   * @throws ParameterError, before anything is written, if several codes have the row's name, if the code is archived,
   * or if it doesn't exist but another one has its name
   * @throws NotPublishedError if a code was created but not published; the next run publishes it
   */
  async upsert(row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    if (normalise(row.code) === '' && normalise(row.name) === '') throw missingParameter(INPUTS.name);
    if (normalise(row.code) === '' && row.matchByName !== true) return this.#create(row, options);
    const found = this.#find(row);
    const placed = this.#placed.then(async () => {
      const place = await found;
      const key = 'code' in place ? this.#keyOf(place.code.id) : place.identity;
      // In an object, because a promise would be awaited.
      return { done: this.#inTurn(key, () => this.#write(row, place, options)) };
    });
    this.#placed = placed.catch(() => undefined);
    // It may fail before it is awaited.
    found.catch(() => undefined);
    return (await placed).done;
  }

  /** Rows that name a new code have the same key as those that find it later. */
  #keyOf(id: string): string {
    return this.#identities.get(id) ?? `id:${id}`;
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

  async #find(row: UpsertRow): Promise<Place> {
    const named = row.code?.trim() ?? '';
    const code =
      named === '' ? undefined : ((await this.#codes.find(named)) ?? (await this.#createdWithLink(named)));
    if (code !== undefined) return { code };
    if (normalise(row.name) === '') throw notFound(named);
    if (row.matchByName === true) {
      const namesake = await this.#findByName(row.name);
      if (namesake !== undefined) return { code: namesake };
    }
    const identity = identityOf(row, named);
    const known = this.#memory.createdFor(identity);
    if (known !== undefined) {
      const created = await this.#codes.findById(known);
      const isWanted = row.matchByName !== true || this.#memory.hasCreatedName(identity, created);
      return created !== undefined && isWanted ? { code: created } : { identity, gone: known };
    }
    if (row.matchByName !== true) await this.#refuseNamesake(row.name, named);
    return { identity, gone: undefined };
  }

  /** The code that this process has created with a short link: a list may show it late. */
  async #createdWithLink(link: string): Promise<QrCode | undefined> {
    const id = this.#memory.createdFor(linkIdentity(link));
    return id === undefined ? undefined : this.#codes.findById(id);
  }

  /** The only code with a name. Archived codes count only if there is no other. */
  async #findByName(name: string): Promise<QrCode | undefined> {
    const all = await this.#codes.named(name);
    const usable = all.filter((code) => !isArchived(code));
    const [code, ...others] = usable.length > 0 ? usable : all;
    if (code === undefined || others.length === 0) return code;
    const shown = [code, ...others].slice(0, MAX_SHOWN).map(describeCode);
    const rest = others.length + 1 - shown.length;
    throw new ParameterError(`${others.length + 1} QR codes have the name "${showText(name)}".`, {
      code: 'ambiguous_name',
      parameter: INPUTS.name.label,
      // Not in the message, as long ones are cut.
      advice: `Use the ID of one of them, or rename the others: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`,
    });
  }

  /**
   * Refuses to create a code for a row whose own code doesn't exist while another one has its name: otherwise, a row
   * that keeps the ID of a deleted code would get a new code in every run.
   */
  async #refuseNamesake(name: string, named: string): Promise<void> {
    const [namesake] = await this.#codes.named(name);
    if (namesake === undefined) return;
    throw new ParameterError(
      `The QR code ${showInput(named)} doesn't exist, but another has the name "${showText(name)}".`,
      {
        code: 'not_found',
        parameter: INPUTS.qrCodeId.label,
        advice: `To use that one, use its ID or turn on ${INPUTS.matchByName.label}: ${describeCode(namesake)}. To create another, use a different name.`,
      },
    );
  }

  async #write(row: UpsertRow, place: Place, options: UpsertCallOptions): Promise<UpsertResult> {
    if ('code' in place) return this.#point(place.code, row, options);
    const code = await this.#createdSince(place);
    return code === undefined ? this.#create(row, options, place) : this.#point(code, row, options);
  }

  /** The code that an earlier row or another run of this process has created in the meantime. */
  async #createdSince({ identity, gone }: NewPlace): Promise<QrCode | undefined> {
    const id = this.#memory.createdFor(identity);
    if (id === undefined || id === gone) return undefined;
    return this.#written.get(id)?.code ?? this.#codes.findById(id);
  }

  /** Points an existing code to the row's target, and publishes it if it isn't published. */
  async #point(found: QrCode, row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    const { targetUrl } = row;
    const { id } = found;
    const { code: current, state } = this.#current(found);
    let code = current;
    if (isArchived(code)) throw archived(code);
    let outcome: UpsertOutcome = 'unchanged';
    let previousUrl: string | undefined;
    if (state.targetUrl === undefined || !isSameUrl(state.targetUrl, targetUrl)) {
      const payload = { id, url: targetUrl, updatedAt: code.updatedAt };
      code = await this.#change(code, { targetUrl, published: isPublished(code) }, () =>
        this.#client.qr.retarget(id, targetUrl, options('retarget', payload)),
      );
      outcome = 'retargeted';
      previousUrl = state.targetUrl;
    }
    if (!isPublished(code) && !state.published) {
      const payload = { id, updatedAt: code.updatedAt };
      code = await this.#change(code, { targetUrl, published: true }, () =>
        this.#client.qr.publish(id, options('publish', payload)),
      );
      outcome = 'retargeted';
    }
    return { outcome, code: { ...code, targetUrl }, ...omitUndefined({ previousUrl }) };
  }

  /** A code as it is as far as this run knows, and what it knows about it. */
  #current(found: QrCode): { code: QrCode; state: { targetUrl?: string | undefined; published: boolean } } {
    const written = this.#written.get(found.id);
    const code = written?.code ?? found;
    const known = this.#memory.stateOf(code);
    const targetUrl = written === undefined ? (targetUrlOf(code) ?? known?.targetUrl) : written.targetUrl;
    return { code, state: { targetUrl, published: known?.published === true } };
  }

  /** Changes a code and records its new state. If that fails, its state isn't known. */
  async #change(
    before: QrCode,
    state: { targetUrl: string; published: boolean },
    write: () => Promise<QrCode>,
  ): Promise<QrCode> {
    const { id } = before;
    this.#memory.forgetState(id);
    this.#written.set(id, { code: before, targetUrl: undefined });
    const { updatedAt: _updatedAt, ...lasting } = before;
    const code: QrCode = { ...lasting, ...(await write()) };
    this.#record(code, state);
    return code;
  }

  #record(code: QrCode, state: { targetUrl: string; published: boolean }): void {
    this.#written.set(code.id, { code, targetUrl: state.targetUrl });
    this.#memory.setState(code, state);
  }

  async #create(row: UpsertRow, options: UpsertCallOptions, place?: NewPlace): Promise<UpsertResult> {
    const { name, targetUrl } = row;
    const input: QrCodeInput = { name, mode: 'dynamic', contentType: 'url', content: { targetUrl } };
    let isReplay = false as boolean;
    const createOptions = {
      ...options('create', { ...input }),
      ...(place && { idempotencyKey: creationKey(place) }),
      onReplayed: () => {
        isReplay = true;
      },
    };
    let created: QrCode;
    try {
      created = await this.#client.qr.create(input, createOptions);
    } catch (error) {
      const isConflict = isApiError(error) && error.code === 'idempotency_conflict';
      if (!isConflict || place === undefined) throw error;
      return this.#point(await this.#createdElsewhere(row, place), row, options);
    }
    const { id } = created;
    // A service may replay the creation without a mark, but no list had a new code before.
    if (place !== undefined) isReplay ||= this.#codes.hasListed(id);
    const current = isReplay ? await this.#codes.read(id) : created;
    const isOther = current === undefined || (row.matchByName === true && isRenamed(created, current));
    if (isOther && place !== undefined) return this.#create(row, options, { ...place, gone: id });
    if (place !== undefined) {
      this.#identities.set(id, place.identity);
      this.#memory.setCreated(place.identity, created);
    }
    this.#memory.setCreated(linkIdentity(created.publicUrl), created);
    if (isReplay && current !== undefined && !this.#memory.isUnchanged(created, current)) {
      const point = () => this.#point(current, row, options);
      return isPublished(current) || isArchived(current) ? point() : orNotPublished(created, point);
    }
    this.#record(created, { targetUrl, published: false });
    const code = await publishCreated(this.#client, created, () => options('publish', { id }));
    this.#record(code, { targetUrl, published: true });
    return { outcome: 'created', code: { ...code, targetUrl } };
  }

  /**
   * The code that another run created for the row in the last 24 hours, with another input.
   * @throws ParameterError if no list shows it yet
   */
  async #createdElsewhere({ name, matchByName }: UpsertRow, place: NewPlace): Promise<QrCode> {
    const created = await this.#createdSince(place);
    if (created !== undefined) return created;
    await this.#codes.refresh();
    const code = matchByName === true ? await this.#findByName(name) : undefined;
    if (code !== undefined) return code;
    throw new ParameterError(
      `Another run requested a QR code for "${showText(name)}" in the last 24 hours, with other values, but the service doesn't list it.`,
      {
        code: 'not_listed',
        parameter: INPUTS.name.label,
        advice:
          'If it was just created, wait a few minutes before you repeat this. Otherwise, create a QR code with this name, and use its ID.',
      },
    );
  }
}

/**
 * How a row names a code that doesn't exist. All spellings of the same name or short link are equal. An ID or a link
 * counts only together with the name: rows without a code may all have the same placeholder for one, such as `N/A`.
 */
function identityOf({ name, matchByName }: UpsertRow, named: string): string {
  if (matchByName === true) return `name:${normalise(name)}`;
  const reference = readRowReference(named);
  const code = 'id' in reference ? `id:${reference.id}` : linkIdentity(reference.shortLink);
  return stableJson([code, normalise(name)]);
}

function linkIdentity(link: unknown): string {
  return `link:${shortLinkKey(link)}`;
}

/**
 * Records a code that was created otherwise than by a `CodeUpserter`, so that rows find it by its name or short link while
 * no list shows it yet.
 */
export function rememberCreated(memory: CodeMemory, code: QrCode): void {
  memory.setCreated(identityOf({ name: code.name, matchByName: true, targetUrl: '' }, ''), code);
  memory.setCreated(linkIdentity(code.publicUrl), code);
}

/** The same in every process. After a code is deleted, its replacement has another key. */
function creationKey({ identity, gone }: NewPlace): string {
  return idempotencyKeyFrom(['create or retarget', identity, gone ?? '']);
}

/** Whether somebody has renamed a code since it was created, so that it isn't the one that rows name. */
function isRenamed(created: QrCode, current: QrCode): boolean {
  return normalise(created.name) !== normalise(current.name);
}

function isPublished({ status }: QrCode): boolean {
  return status === 'published';
}

/** An archived code's short link doesn't work, and publishing isn't documented to change that (API text, "States"). */
function isArchived({ status }: QrCode): boolean {
  return status === 'archived';
}

/** The error for a row whose code doesn't exist and that has no name for a new one. */
function notFound(named: string): ParameterError {
  const reference = readRowReference(named);
  const message =
    'id' in reference
      ? `No QR code with ID ${showText(reference.id)} was found.`
      : `No QR code has the short link ${showInput(reference.shortLink)}.`;
  const advice = `Check the value, or fill in ${INPUTS.name.label} to create a code.`;
  return new ParameterError(message, { code: 'not_found', parameter: INPUTS.qrCodeId.label, advice });
}

function archived(code: QrCode): ParameterError {
  return new ParameterError(
    `The QR code ${describeCode(code)} is archived, so its short link doesn't work. It was not changed.`,
    {
      code: 'archived',
      parameter: INPUTS.qrCodeId.label,
      advice:
        'Restore it in the app. To use a new code instead, use a different name and leave the code empty.',
    },
  );
}

function describeCode({ id, name, publicUrl }: QrCode): string {
  const link = normalise(publicUrl);
  return showText(`"${normalise(name)}" (${link === '' ? '' : `${link}, `}ID ${id})`);
}

function isSameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}

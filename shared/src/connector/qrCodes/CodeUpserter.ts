import { idempotencyKeyFrom } from '../../client/idempotencyKey.ts';
import type { QrCodes } from '../../client/QrCodes.ts';
import type { CallOptions } from '../../client/RequestExecutor.ts';
import type { QrCode } from '../../contract/types.ts';
import { isApiError, isProvenAbsent } from '../../errors/guards.ts';
import { omitUndefined } from '../../json/json.ts';
import { INPUTS, type MATCH_BY } from '../inputs/definitions.ts';
import type { ParameterError } from '../inputs/ParameterError.ts';
import { showValue } from '../inputs/showValue.ts';
import { toNewName, toRequiredText } from '../inputs/text.ts';
import { CodeFinder, type FinderOptions } from './CodeFinder.ts';
import { CodeMemory, MAX_LATENESS_MS } from './CodeMemory.ts';
import { inOrder } from './inOrder.ts';
import { isNotPublishedError, notPublished } from './NotPublishedError.ts';
import {
  ignoreCase,
  isArchived,
  isPublished,
  isSameUrl,
  normalize,
  targetUrlOf,
  type TargetedCode,
} from './qrCode.ts';
import { archived, leadsBack, notListed, notVisible, renamed, twoTargets } from './qrCodeErrors.ts';
import { isOwnLink } from './reference.ts';
import { createDraft, publishDraft } from './writes.ts';

/** A code that should exist and point to a target. */
export interface UpsertRow {
  matchBy: (typeof MATCH_BY)[number];
  /** The code's ID, API URL or short link. If it doesn't exist, the row fails: only a row without one creates a code. */
  code?: string | undefined;
  /** Name of a new code. An existing code keeps its name. */
  name: string;
  /** Where the code should point: an absolute URL. */
  targetUrl: string;
}

/** What can become of a row. `unchanged`: the code was already published and pointed to the target. */
export const UPSERT_OUTCOMES = ['created', 'updated', 'unchanged'] as const;
type UpsertOutcome = (typeof UPSERT_OUTCOMES)[number];

/** A row's code, which now points to the row's target. */
export interface UpsertResult {
  outcome: UpsertOutcome;
  code: TargetedCode;
  /** Where an updated code pointed before, if that is known: no documented field says it (docs/api.md#qr-codes). */
  previousUrl?: string;
}

/** The options of a row's write. Only a creation may have a fixed Idempotency-Key: a replayed change would be lost. */
export type UpsertCallOptions = (write: 'create' | 'publish' | 'retarget') => CallOptions;

/** Whether a row finds its code by its name. */
function isByName({ matchBy, code }: UpsertRow): boolean {
  return matchBy === 'name' && normalize(code) === '';
}

/** The part of the client that creates, finds and updates codes. */
export type UpsertClient = Pick<QrCodes, 'create' | 'get' | 'list' | 'publish' | 'retarget'>;

/**
 * Creates or retargets the codes of one run: a row whose code exists is pointed to its target, a row without a code gets a
 * new, published one. Nothing else about an existing code changes, except that a draft is published.
 *
 * Rows about the same code run in their order, so that the last one wins and a new code is created once. While lists may
 * not show it yet, the Idempotency-Key of a code that rows name depends only on that name: whatever process creates it
 * again, the service replays its creation or reports a conflict (docs/api.md#idempotency).
 */
export class CodeUpserter {
  readonly #qr: UpsertClient;
  readonly #memory: CodeMemory;
  readonly #codes: CodeFinder;
  readonly #inTurn: CodeMemory['inTurn'];
  readonly #inOrder = inOrder();

  constructor(qr: UpsertClient, { memory = new CodeMemory(), ...options }: FinderOptions = {}) {
    this.#qr = qr;
    this.#memory = memory;
    this.#codes = new CodeFinder(qr, { ...options, memory });
    this.#inTurn = (key, work) => memory.inTurn(key, work, options.signal);
  }

  /**
   * Creates or retargets a row's code. Call it in the order of the rows, without waiting for the previous ones.
   * @throws ParameterError, before anything is written, if the row's code doesn't exist or is archived, or if several codes
   * have its name
   * @throws NotPublishedError if its code exists but is not published; the next run publishes it
   */
  async upsert(row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    const hasReference = normalize(row.code) !== '';
    if (!hasReference) toRequiredText(row.name, INPUTS.name);
    if (!hasReference && row.matchBy === 'id') return this.#create(row, options);
    const code = await this.#inOrder(this.#find(row));
    return code === undefined ? this.#createInTurn(row, options) : this.#point(code, row, options);
  }

  async #find({ code: reference = '', name }: UpsertRow): Promise<QrCode | undefined> {
    if (normalize(reference) === '') return this.#codes.byName(name);
    return this.#codes.find(reference, 'Use the ID or the short link of a QR code, not its name or slug.');
  }

  /** Points a code to the row's target once earlier work on it is done, and publishes it if it isn't published. */
  #point(code: QrCode, row: UpsertRow, options: UpsertCallOptions, published: UpsertOutcome = 'updated') {
    return this.#inTurn(`id ${code.id}`, async () => {
      const result = await this.#pointNow(this.#codes.latest(code), row.targetUrl, options, published);
      this.#memory.setTarget(result.code, row.targetUrl);
      this.#codes.add(result.code);
      if (isByName(row) && ignoreCase(result.code.name) !== ignoreCase(row.name))
        throw renamed(row.name, result.code);
      return { ...result, code: { ...result.code, targetUrl: row.targetUrl } };
    });
  }

  async #pointNow(found: QrCode, targetUrl: string, options: UpsertCallOptions, published: UpsertOutcome) {
    if (isArchived(found)) throw archived(found);
    this.#checkCircle(found, targetUrl);
    const before = this.#memory.targetOf(found);
    const isRetargeted = before === undefined || !isSameUrl(before, targetUrl);
    let code = found;
    try {
      if (isRetargeted) {
        const { updatedAt: _, ...lasting } = code;
        this.#memory.forgetTarget(found.id);
        code = { ...lasting, ...(await this.#qr.retarget(found.id, targetUrl, options('retarget'))) };
        if (isArchived(code)) throw archived(code, true);
      }
      const isDraft = !isPublished(code);
      if (isDraft) code = await publishDraft(this.#qr, code, options('publish'));
      const changed = isRetargeted ? 'updated' : 'unchanged';
      const outcome = isDraft ? published : changed;
      return { outcome, code, ...(isRetargeted && omitUndefined({ previousUrl: before })) };
    } catch (error) {
      const isNew = this.#memory.created('id', found.id).length > 0;
      if (isNew && isProvenAbsent(isNotPublishedError(error) ? error.cause : error)) throw notVisible(code);
      throw published === 'created' && !isPublished(code) ? notPublished(code, error) : error;
    }
  }

  /** @throws ParameterError if the target is known to lead back to the code */
  #checkCircle(code: QrCode, targetUrl: string): void {
    if (isOwnLink(code, targetUrl)) throw leadsBack(code);
    const other = this.#codes.knownByLink(targetUrl);
    const next = other && (this.#memory.targetOf(other) ?? targetUrlOf(other));
    if (next !== undefined && isOwnLink(code, next)) throw leadsBack(code, { other });
  }

  /** Creates the code that a row names, unless an earlier row or another run has created it in the meantime. */
  #createInTurn(row: UpsertRow, options: UpsertCallOptions): Promise<UpsertResult> {
    return this.#inTurn(`name ${ignoreCase(row.name)}`, async () => {
      const code = await this.#find(row);
      if (code !== undefined) return this.#point(code, row, options);
      const window = Math.floor(Date.now() / MAX_LATENESS_MS);
      const idempotencyKey = idempotencyKeyFrom(['create or update', ignoreCase(row.name), window]);
      try {
        return await this.#create(row, options, { idempotencyKey });
      } catch (error) {
        if (!isApiError(error) || error.code !== 'idempotency_conflict') throw error;
        await this.#codes.readChanges();
        const other = await this.#find(row);
        if (other === undefined) throw notListed(row.name);
        return this.#point(other, row, options);
      }
    });
  }

  /** Creates and publishes a code. Of one that another run may have created, nobody knows where it points by now. */
  async #create(row: UpsertRow, options: UpsertCallOptions, key: CallOptions = {}): Promise<UpsertResult> {
    toNewName(row.name, INPUTS.name);
    const call = { ...options('create'), ...key };
    const { draft, mayBeOld } = await createDraft(this.#qr, row, call, this.#memory);
    const result = await this.#point(draft, row, options, 'created');
    return mayBeOld ? result : { ...result, outcome: 'created' };
  }
}

/**
 * The rows of a run that have the same new name but different targets, each with its error: of two codes that were meant,
 * one would lead to the other's target. Rows with the same ID are changes of one code, of which the last one wins.
 * @param rows by their index
 * @param nameOf how a platform calls a row, for example `row 2`
 */
export function conflictingRows(
  rows: ReadonlyMap<number, UpsertRow>,
  nameOf: (index: number) => string,
): Map<number, ParameterError> {
  const byName = new Map<string, [index: number, row: UpsertRow][]>();
  for (const entry of [...rows].filter(([, row]) => isByName(row))) {
    const name = ignoreCase(entry[1].name);
    const sameName = byName.get(name) ?? [];
    sameName.push(entry);
    byName.set(name, sameName);
  }
  const errors = new Map<number, ParameterError>();
  for (const sameName of byName.values()) {
    const [first] = sameName as [[number, UpsertRow]];
    const other = sameName.find(([, { targetUrl }]) => !isSameUrl(targetUrl, first[1].targetUrl));
    if (other === undefined) continue;
    const targets = [first, other].map(([index, row]) => `${showValue(row.targetUrl)} in ${nameOf(index)}`);
    const error = twoTargets(first[1].name, targets);
    for (const [index] of sameName) errors.set(index, error);
  }
  return errors;
}

import { AllowedTargets } from '../../shared/src/client/AllowedTargets.ts';
import type { CreateCallOptions, QrCodeQuery } from '../../shared/src/client/QrCodes.ts';
import type { FinderOptions } from '../../shared/src/connector/CodeFinder.ts';
import {
  CodeUpserter,
  type UpsertClient,
  type UpsertResult,
  type UpsertRow,
} from '../../shared/src/connector/CodeUpserter.ts';
import { SAMPLE_QR_CODE } from '../../shared/src/contract/fields.ts';
import type { Page, QrCode, QrCodeInput } from '../../shared/src/contract/types.ts';
import { ApiError } from '../../shared/src/errors/ApiError.ts';
import { omitUndefined, stableJson } from '../../shared/src/json/json.ts';

/** Two targets of codes. */
export const A = 'https://example.com/a';
export const B = 'https://example.com/b';

/** An error of the service or, with `intermediary`, of a proxy. */
export function apiError(status: number, code: string, intermediary?: string): ApiError {
  const words = { message: code, retryable: false, method: 'POST' as const, path: '/qr' };
  return new ApiError({ ...words, status, code, ...omitUndefined({ intermediary }) });
}

interface Stored {
  code: QrCode;
  targetUrl: string;
}

/** A service whose lists and reads can be late. It keeps the names, states and targets that it was sent. */
export class LateService {
  readonly codes = new Map<string, Stored>();
  /** Methods and IDs or names of the requests. */
  readonly requests: string[] = [];
  /** The IDs on each page that was read. */
  readonly listed: string[][] = [];
  /** Codes that no list shows yet. */
  readonly hidden = new Set<string>();
  /** Failures of the next requests of a method. */
  readonly failures: Record<string, (Error | undefined)[]> = {};
  /** Whether a failing request is executed all the same: only its response is lost. */
  losesResponses = false;
  /** Whether reads and lists show no new code yet. */
  isLate = false;
  /** Codes that reads by ID don't show yet. */
  readonly unread = new Set<string>();
  /** Whether the service's clocks agree, so that a new code can be told from a replayed one: no replay is marked. */
  clocksAgree = true;
  pageSize = 100;
  /** Called before each page of a list. */
  whileListing = () => {};
  readonly #replays = new Map<string, { input: string; code: QrCode }>();
  #clock = 0;

  readonly #allowed = new AllowedTargets(['example.com', 'r.example']);

  readonly qr = {
    checkTargets: (content: object) => this.#allowed.check(content),
    create: (input: QrCodeInput, options: CreateCallOptions = {}) =>
      this.#request('create', input.name, () => this.#create(input, options)),
    get: (id: string) => this.#request('get', id, () => this.#read(id)),
    list: ({ updatedSince = '' }: QrCodeQuery) => ({ pages: () => this.#pages(updatedSince) }),
    publish: (id: string) => this.#request('publish', id, () => this.change(id, { status: 'published' })),
    retarget: (id: string, url: string) =>
      this.#request('retarget', `${id} ${url}`, () => this.change(id, {}, url)),
  } as unknown as UpsertClient;

  /** A code that somebody created in the app. */
  add(more: Partial<QrCode> & { id: string }, targetUrl = A): QrCode {
    const publicUrl = `https://r.example/${more.id}`;
    const code = { ...SAMPLE_QR_CODE, publicUrl, updatedAt: this.#now(), ...more } as QrCode;
    this.codes.set(code.id, { code, targetUrl });
    return code;
  }

  /** Changes a code, here or in the app. */
  change(id: string, fields: Partial<QrCode>, targetUrl?: string): QrCode {
    const { code, targetUrl: before } = this.#stored(id);
    const changed = { ...code, ...fields, updatedAt: this.#now() };
    this.codes.set(id, { code: changed, targetUrl: targetUrl ?? before });
    return changed;
  }

  target(id: string): string | undefined {
    return this.codes.get(id)?.targetUrl;
  }

  /** Hides all codes from reads and lists for now. */
  showNone(): void {
    for (const id of this.codes.keys()) {
      this.hidden.add(id);
      this.unread.add(id);
    }
  }

  /** The requests since the last call. */
  take(): string[] {
    return this.requests.splice(0);
  }

  #now(): string {
    this.#clock += 1;
    return new Date(Date.UTC(2026, 0, 1) + this.#clock).toISOString();
  }

  #stored(id: string): Stored {
    const stored = this.codes.get(id);
    if (stored === undefined) throw apiError(404, 'not_found');
    return stored;
  }

  #read(id: string): QrCode {
    if (this.unread.has(id)) throw apiError(404, 'not_found');
    return this.#stored(id).code;
  }

  #create(input: QrCodeInput, { idempotencyKey = '', onReplay }: CreateCallOptions): QrCode {
    const replay = this.#replays.get(idempotencyKey);
    const text = stableJson([input]);
    if (replay !== undefined && replay.input !== text) throw apiError(409, 'idempotency_conflict');
    if (replay !== undefined || !this.clocksAgree) onReplay?.();
    if (replay !== undefined) return replay.code;
    const { targetUrl } = input.content as { targetUrl: string };
    const code = this.add({ id: `new${this.codes.size}`, name: input.name, status: 'draft' }, targetUrl);
    if (this.isLate) this.showNone();
    if (idempotencyKey !== '') this.#replays.set(idempotencyKey, { input: text, code });
    return code;
  }

  async #request(method: string, what: string, work: () => QrCode): Promise<QrCode> {
    this.requests.push(`${method} ${what}`);
    // Of several requests at the same time, some overtake others.
    for (let waits = this.requests.length % 2 === 0 ? 1 : 20; waits > 0; waits--) await Promise.resolve();
    const failures = this.failures[method] ?? [];
    const failure = failures.shift();
    if (failure !== undefined) {
      if (this.losesResponses) work();
      throw failure;
    }
    return work();
  }

  async *#pages(since: string): AsyncGenerator<Page<QrCode>> {
    const ids = [...this.codes.keys()].filter((id) => !this.hidden.has(id));
    const rows = ids.map((id) => this.#stored(id).code).filter(({ updatedAt }) => updatedAt >= since);
    for (let at = 0; at === 0 || at < rows.length; at += this.pageSize) {
      this.requests.push(since === '' ? 'list' : 'list changes');
      this.whileListing();
      await Promise.resolve();
      const failure = this.failures['list']?.shift();
      if (failure !== undefined) throw failure;
      const end = at + this.pageSize;
      this.listed.push(rows.slice(at, end).map(({ id }) => id));
      yield { rows: rows.slice(at, end), ...omitUndefined({ nextCursor: rows[end]?.id }) };
    }
  }
}

/** A row for A that creates a code, unless its fields say otherwise. */
export function row(fields: Partial<UpsertRow> = {}): UpsertRow {
  return { matchBy: 'id', name: 'Table 4', targetUrl: A, ...fields };
}

/** A row for the code with a name. */
export function named(name: string, targetUrl = A): UpsertRow {
  return row({ name, targetUrl, matchBy: 'name' });
}

let runs = 0;

/** Starts a run. The keys of its creations differ from those of other runs. */
export function startRun(service: LateService, options: FinderOptions = {}) {
  const upserter = new CodeUpserter(service.qr, options);
  const run = ++runs;
  return (one: UpsertRow, index = 0): Promise<UpsertResult> =>
    upserter.upsert(one, (write) =>
      write === 'create' ? { idempotencyKey: stableJson([run, index, one]) } : {},
    );
}

/** Runs all rows at once, as a platform does. */
export function runRows(service: LateService, rows: readonly UpsertRow[], options: FinderOptions = {}) {
  const upsert = startRun(service, { lookups: rows.length, ...options });
  return Promise.all(rows.map(upsert));
}

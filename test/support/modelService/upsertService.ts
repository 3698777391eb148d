import type { FinderOptions } from '../../../shared/src/connector/qrCodes/CodeFinder.ts';
import {
  CodeUpserter,
  type UpsertClient,
  type UpsertResult,
  type UpsertRow,
} from '../../../shared/src/connector/qrCodes/CodeUpserter.ts';
import type { Page, QrCode } from '../../../shared/src/contract/types.ts';
import { stableJson } from '../../../shared/src/json/json.ts';
import { Codes } from './codes.ts';

/** Two targets of codes. */
export const A = 'https://example.com/a';
export const B = 'https://example.com/b';

/** A service behind the core's typed client, without HTTP. */
export class UpsertService extends Codes {
  /** Methods and IDs or names of the requests. */
  readonly requests: string[] = [];
  /** The IDs on each page that was read. */
  readonly listed: string[][] = [];
  /** Failures of the next requests of a method. */
  readonly failures: Record<string, (Error | undefined)[]> = {};
  /** Whether a failing request is executed all the same: only its response is lost. */
  losesResponses = false;
  /** Whether the service's clocks agree, so that a new code can be told from a replayed one: no replay is marked. */
  clocksAgree = true;
  /** Called after each page of a list is read, before the response. */
  whileListing = () => {};

  readonly qr: UpsertClient = {
    create: (input, options) =>
      this.#request('create', input.name, () => {
        const write = () => this.create(input);
        const { result, isReplay } = this.once(options?.idempotencyKey, stableJson([input]), write);
        if (isReplay || !this.clocksAgree) options?.onReplay?.();
        return result;
      }),
    get: (id) => this.#request('get', id, () => this.read(id)),
    list: (query) => ({ pages: () => this.#pages(query?.updatedSince) }) as never,
    publish: (id) => this.#request('publish', id, () => this.publish(id)),
    retarget: (id, url) => this.#request('retarget', `${id} ${url}`, () => this.retarget(id, url)),
  };

  /** The requests since the last call. */
  take(): string[] {
    return this.requests.splice(0);
  }

  async #request(method: string, what: string, work: () => QrCode): Promise<QrCode> {
    this.requests.push(`${method} ${what}`);
    // Of several requests at the same time, some overtake others.
    for (let waits = this.requests.length % 2 === 0 ? 1 : 20; waits > 0; waits--) await Promise.resolve();
    const failure = this.failures[method]?.shift();
    if (failure === undefined) return work();
    if (this.losesResponses) work();
    throw failure;
  }

  async *#pages(since: string | undefined): AsyncGenerator<Page<QrCode>> {
    let cursor: string | undefined;
    do {
      this.requests.push(since === undefined ? 'list' : 'list changes');
      const page = this.page(since, cursor) as Page<QrCode>;
      this.whileListing();
      await Promise.resolve();
      const failure = this.failures['list']?.shift();
      if (failure !== undefined) throw failure;
      this.listed.push(page.rows.map(({ id }) => id));
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
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
export function startRun({ qr }: UpsertService, options: FinderOptions = {}) {
  const upserter = new CodeUpserter(qr, options);
  const run = ++runs;
  return (one: UpsertRow, index = 0): Promise<UpsertResult> =>
    upserter.upsert(one, (write) =>
      write === 'create' ? { idempotencyKey: stableJson([run, index, one]) } : {},
    );
}

/** Runs all rows at once, as a platform does. */
export function runRows(service: UpsertService, rows: readonly UpsertRow[], options: FinderOptions = {}) {
  const upsert = startRun(service, { lookups: rows.length, ...options });
  return Promise.all(rows.map(upsert));
}

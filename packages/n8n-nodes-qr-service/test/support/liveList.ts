import { ApiError } from '../../../../shared/src/errors/ApiError.ts';
import { paginate } from '../../../../shared/src/client/Paginated.ts';
import type { Page } from '../../../../shared/src/contract/types.ts';
import { readTime } from '../../../../shared/src/wire/time.ts';
import type { PolledPage, ReadPages } from '../../nodes/QrServicePollingTrigger/lists.ts';

/** A code in the list. */
export interface LiveCode extends Record<string, unknown> {
  id: string;
  /** Differs in each state of the code. */
  name: string;
  status: 'draft' | 'published' | 'archived';
  updatedAt: string;
}

/** How the list shows its codes. */
export interface LiveListShape {
  order: 'ascending' | 'descending' | 'id';
  since: 'inclusive' | 'exclusive';
  pageSize: number;
  /** Lag in milliseconds of the replicas, which serve the pages in turn. */
  lags: number[];
}

interface State {
  code: LiveCode;
  visibleAt: number;
}

/**
 * A list of codes on a service without snapshots: each page starts after the last row of the previous one, in the list
 * as its replica has it at that time. Rows that change while the list is read may be listed twice or not at all.
 */
export class LiveList {
  /** Called before each page. If it throws, the page fails with that error. */
  beforePage: () => void = () => undefined;
  readonly #shape: LiveListShape;
  /** The states of each code, oldest first. */
  readonly #codes: State[][] = [];
  #now = Date.UTC(2026, 0, 1);
  #caughtUpAt = 0;
  #generation = 0;
  #pages = 0;

  constructor(shape: LiveListShape) {
    this.#shape = shape;
  }

  /** Current state of all codes, whether visible or not. */
  get codes(): LiveCode[] {
    return this.#codes.map((states) => ({ ...states.at(-1)!.code }));
  }

  /** The codes in the state that every replica shows. */
  get visible(): LiveCode[] {
    const asOf = Math.max(this.#now - Math.max(...this.#shape.lags), this.#caughtUpAt);
    return this.#codes.flatMap((states) => states.findLast(({ visibleAt }) => visibleAt <= asOf)?.code ?? []);
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  /** Makes all writes so far visible on all replicas. */
  settle(): void {
    this.#caughtUpAt = this.#now;
    for (const state of this.#codes.flat()) state.visibleAt = Math.min(state.visibleAt, this.#now);
  }

  /** Invalidates all cursors returned so far. */
  expireCursors(): void {
    this.#generation += 1;
  }

  /** Creates a code that becomes visible after this many milliseconds. */
  create(lateMs = 0): void {
    const number = this.#codes.length;
    // IDs aren't in the order of creation.
    const id = `qr-${String((number * 7919) % 10_007).padStart(5, '0')}`;
    this.#codes.push([]);
    this.#write(number, id, 'draft', lateMs);
  }

  /** Edits one of the codes. Does nothing if there are none, or if the code already has the status. */
  edit(nth: number, status?: LiveCode['status'], lateMs = 0): void {
    const number = nth % this.#codes.length;
    const code = this.#codes[number]?.at(-1)?.code;
    if (code === undefined || code.status === status) return;
    this.#write(number, code.id, status ?? code.status, lateMs);
  }

  /** Reads the list as polling does. */
  readonly read: ReadPages = (position) => this.#polledPages(position);

  async *#polledPages({ since, cursor }: Parameters<ReadPages>[0]): AsyncGenerator<PolledPage> {
    const from = since === undefined ? undefined : new Date(since).toISOString();
    // eslint-disable-next-line @typescript-eslint/require-await -- errors must reject
    const pages = paginate(async (at): Promise<Page<LiveCode>> => this.#page(from, at), { cursor }).pages();
    for await (const page of pages) {
      const rows = page.rows.map((row) => ({ row, id: row.id, time: readTime(row.updatedAt) }));
      yield { servedAt: this.#now, ...page, rows };
    }
  }

  #write(number: number, id: string, status: LiveCode['status'], lateMs: number): void {
    const states = this.#codes[number]!;
    const before = states.at(-1);
    // Each change of a code has a later time.
    if (before !== undefined && Date.parse(before.code.updatedAt) >= this.#now) this.advance(1);
    const visibleAt = Math.max(this.#now + lateMs, before?.visibleAt ?? 0);
    const code = { id, name: `State ${states.length}`, status, updatedAt: new Date(this.#now).toISOString() };
    states.push({ code, visibleAt });
  }

  #page(since: string | undefined, cursor: string | undefined) {
    this.beforePage();
    const [generation, after] = (cursor?.split('/') ?? [`${this.#generation}`, '']) as [string, string];
    if (generation !== `${this.#generation}`) throw pageError('invalid_cursor');
    const { lags, pageSize } = this.#shape;
    const asOf = Math.max(this.#now - (lags[this.#pages++ % lags.length] ?? 0), this.#caughtUpAt);
    const entries = this.#codes
      .flatMap((states) => states.findLast(({ visibleAt }) => visibleAt <= asOf)?.code ?? [])
      .filter(({ updatedAt }) => since === undefined || this.#isSince(updatedAt, since))
      .map((code) => ({ code: { ...code }, sortKey: this.#sortKey(code) }))
      .filter(({ sortKey }) => after === '' || this.#compare(sortKey, after) > 0)
      .sort((a, b) => this.#compare(a.sortKey, b.sortKey));
    const page = entries.slice(0, pageSize);
    const nextCursor =
      entries.length > page.length ? `${this.#generation}/${page.at(-1)!.sortKey}` : undefined;
    return {
      rows: page.map(({ code }) => code),
      servedAt: Math.floor(this.#now / 1000) * 1000,
      ...(nextCursor === undefined ? {} : { nextCursor }),
    };
  }

  #isSince(time: string, since: string): boolean {
    return this.#shape.since === 'inclusive' ? time >= since : time > since;
  }

  #sortKey({ id, updatedAt }: LiveCode): string {
    return this.#shape.order === 'id' ? id : `${updatedAt} ${id}`;
  }

  #compare(a: string, b: string): number {
    return (a < b ? -1 : a > b ? 1 : 0) * (this.#shape.order === 'descending' ? -1 : 1);
  }
}

/** Error response for a page. */
export function pageError(code: 'invalid_cursor' | 'insufficient_scope'): ApiError {
  const status = code === 'invalid_cursor' ? 422 : 403;
  return new ApiError({ status, code, message: code, retryable: false, method: 'GET', path: '/qr' });
}

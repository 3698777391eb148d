import { endFeed, paginate } from '../../../../shared/src/client/Paginated.ts';
import type { QrServiceClient } from '../../../../shared/src/client/QrServiceClient.ts';
import type { Page } from '../../../../shared/src/contract/types.ts';
import { apiError } from '../../../../test/support/lateService.ts';
import { LISTS, type ReadPages, type Watch } from '../../nodes/QrServicePollingTrigger/lists.ts';

const SIGNAL = new AbortController().signal;

/** A code in the list. */
export interface LiveCode extends Record<string, unknown> {
  id: string;
  /** Differs in each state of the code. */
  name: string;
  status: 'draft' | 'published' | 'archived';
  updatedAt: string;
}

/** How the list shows its rows. */
export interface LiveListShape {
  order: 'ascending' | 'descending' | 'id' | 'by arrival';
  since: 'inclusive' | 'exclusive';
  /** Whether every page has a cursor. */
  isFeed?: boolean;
  /** Whether rows have no time. They are then visible at once. */
  isUntimed?: boolean;
  pageSize: number;
  /** Lag in milliseconds of the replicas, which serve the pages in turn. */
  lags: number[];
}

interface State {
  row: Row;
  number: number;
  /** When it was written. */
  time: number;
  visibleAt: number;
}

type Row = Record<string, unknown>;

/**
 * A list on a service without snapshots: each page starts after the last row of the previous one, in the list as its
 * replica has it at that time. Rows that change while the list is read may be listed twice or not at all.
 */
export class LiveList {
  /** Called before each page. If it throws, the page fails with that error. */
  beforePage: () => void = () => undefined;
  readonly #shape: LiveListShape;
  /** The states of each row, oldest first. */
  readonly #states: State[][] = [];
  #now = Date.UTC(2026, 0, 1);
  #caughtUpAt = 0;
  #generation = 0;
  #pages = 0;

  constructor(shape: LiveListShape) {
    this.#shape = shape;
  }

  /** Current state of all rows, whether visible or not. */
  get rows(): Row[] {
    return this.#states.map((states) => ({ ...states.at(-1)!.row }));
  }

  /** Current state of all codes, whether visible or not. */
  get codes(): LiveCode[] {
    return this.rows as LiveCode[];
  }

  /** The rows in the state that every replica shows. */
  get visible(): Row[] {
    return this.#asOf(Math.max(...this.#shape.lags)).map(({ row }) => row);
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  /** Makes all writes so far visible on all replicas. */
  settle(): void {
    this.#caughtUpAt = this.#now;
    for (const state of this.#states.flat()) state.visibleAt = Math.min(state.visibleAt, this.#now);
  }

  /** Invalidates all cursors returned so far. */
  expireCursors(): void {
    this.#generation += 1;
  }

  /** Creates a code that becomes visible after this many milliseconds. */
  create(lateMs = 0): void {
    const number = this.#states.length;
    // IDs aren't in the order of creation.
    const id = `qr-${String((number * 7919) % 10_007).padStart(5, '0')}`;
    this.#write(number, lateMs, { id, name: 'State 0', status: 'draft', updatedAt: this.#time() });
  }

  /** Edits one of the codes. Does nothing if there are none, or if the code already has the status. */
  edit(nth: number, status?: LiveCode['status'], lateMs = 0): void {
    const number = nth % this.#states.length;
    const states = this.#states[number];
    const code = states?.at(-1)?.row as LiveCode | undefined;
    if (states === undefined || code === undefined || code.status === status) return;
    // Each change of a code has a later time.
    if (code.updatedAt >= this.#time()) this.advance(1);
    const changed = { name: `State ${states.length}`, updatedAt: this.#time() };
    this.#write(number, lateMs, { ...code, status: status ?? code.status, ...changed });
  }

  /** Records a scan without an ID that becomes visible after this many milliseconds. */
  scan(qrId: string, lateMs: number): void {
    const number = this.#states.length;
    const own = this.#shape.isUntimed ? { visit: number } : { scannedAt: this.#time() };
    this.#write(number, this.#shape.isUntimed ? 0 : lateMs, { qrId, ...own });
  }

  /** Reads the list as polling does. */
  reader(watch: Watch): ReadPages {
    const list = (query: { updatedSince?: string; since?: string; cursor?: string }) =>
      paginate<Row, Page<Row>>(
        // oxlint-disable-next-line typescript/require-await -- errors must reject
        async (at) => endFeed(this.#page(query.updatedSince ?? query.since, at), at),
        { cursor: query.cursor },
      );
    return LISTS[watch]({ qr: { list }, scans: { list } } as unknown as QrServiceClient, SIGNAL);
  }

  #time(): string {
    return new Date(this.#now).toISOString();
  }

  #write(number: number, lateMs: number, row: Row): void {
    const states = (this.#states[number] ??= []);
    const visibleAt = Math.max(this.#now + lateMs, states.at(-1)?.visibleAt ?? 0);
    states.push({ row, number, time: this.#now, visibleAt });
  }

  #asOf(lagMs: number): State[] {
    const asOf = Math.max(this.#now - (this.#shape.isUntimed ? 0 : lagMs), this.#caughtUpAt);
    return this.#states.flatMap((states) => states.findLast(({ visibleAt }) => visibleAt <= asOf) ?? []);
  }

  #page(since: string | undefined, cursor: string | undefined): Page<Row> {
    this.beforePage();
    const [generation = '', after = ''] = cursor?.split('/') ?? [`${this.#generation}`];
    if (generation !== `${this.#generation}`) throw apiError(422, 'invalid_cursor');
    const { lags, pageSize, isFeed } = this.#shape;
    const entries = this.#asOf(lags[this.#pages++ % lags.length] ?? 0)
      .filter(({ time }) => since === undefined || this.#isSince(time, Date.parse(since)))
      .map((state) => ({ row: state.row, sortKey: this.#sortKey(state) }))
      .filter(({ sortKey }) => after === '' || this.#compare(sortKey, after) > 0)
      .sort((a, b) => this.#compare(a.sortKey, b.sortKey));
    const page = entries.slice(0, pageSize);
    const nextCursor = `${this.#generation}/${page.at(-1)?.sortKey ?? after}`;
    return {
      rows: page.map(({ row }) => ({ ...row })),
      servedAt: Math.floor(this.#now / 1000) * 1000,
      ...(isFeed === true || entries.length > page.length ? { nextCursor } : {}),
    };
  }

  #isSince(time: number, since: number): boolean {
    if (this.#shape.isUntimed === true) return true;
    return this.#shape.since === 'inclusive' ? time >= since : time > since;
  }

  #sortKey({ row, number, time, visibleAt }: State): string {
    const { order } = this.#shape;
    const id = (row as Partial<LiveCode>).id ?? String(number).padStart(6, '0');
    // All times have equally many digits.
    return order === 'id' ? id : `${order === 'by arrival' ? visibleAt : time} ${id}`;
  }

  #compare(a: string, b: string): number {
    return (a < b ? -1 : a > b ? 1 : 0) * (this.#shape.order === 'descending' ? -1 : 1);
  }
}

import type { Page } from '../../../shared/src/contract/types.ts';
import { apiError } from './apiError.ts';

/** A code or a scan. */
export type Row = Record<string, unknown> & { id?: string; updatedAt?: string; scannedAt?: string };

/** A row as it was written. Times are in milliseconds since the epoch; `time` is NaN if the row has none. */
interface State {
  row: Row;
  number: number;
  time: number;
  visibleAt: number;
  /** Its place in lists, once known. */
  key?: string | undefined;
}

/** The rows of a service, on a clock of its own, and how its lists show them. */
export class Rows {
  /** By time, by ID, or by the time at which they became visible. Set it before lists are read. */
  order: 'ascending' | 'descending' | 'id' | 'by arrival' = 'by arrival';
  since: 'inclusive' | 'exclusive' = 'inclusive';
  pageSize = 100;
  /**
   * Whether each page starts after the last row of the previous one, in the list as it is by then: rows that change
   * meanwhile may be listed twice or not at all. Otherwise all pages show the rows as they were for the first one.
   */
  isLive = false;
  /** Whether the list is live, and every page has a cursor. An empty page then repeats its own. */
  isFeed = false;
  /** IDs of rows that reads show, and lists don't. */
  readonly unlisted = new Set<string>();
  /** Lag in milliseconds of the replicas, which serve the pages in turn. */
  lags = [0];
  now: () => number = () => this.#clock;
  #clock = Date.UTC(2026, 0, 1);
  /** The states of each row, oldest first. */
  readonly #rows = new Map<string, State[]>();
  /** The rows of each walk through a list that isn't live. */
  readonly #walks: { row: Row; key: string }[][] = [];
  /** The cursors of earlier walks have expired. */
  #firstWalk = 0;
  #pages = 0;
  #states = 0;

  /** Current state of all rows, whether visible or not. */
  get rows(): Row[] {
    return Array.from(this.#rows.values(), (states) => states.at(-1)!.row);
  }

  set rows(rows: Row[]) {
    this.#rows.clear();
    for (const row of rows) this.put(row);
  }

  /** The rows in the state that every replica shows. */
  get visible(): Row[] {
    return this.#asOf(Math.max(...this.lags)).map(({ row }) => row);
  }

  advance(ms: number): void {
    this.#clock += ms;
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id)?.at(-1)?.row;
  }

  /** The row as reads and lists show it by now. */
  shown(id: string): Row | undefined {
    return this.#rows.get(id)?.findLast(({ visibleAt }) => visibleAt <= this.now())?.row;
  }

  /** Writes a row. Lists show it this many milliseconds later or, if that is undefined, on all replicas at once. */
  put(row: Row, lateMs?: number, time = Date.parse(row.updatedAt ?? row.scannedAt ?? '')): void {
    const number = ++this.#states;
    const id = row.id ?? String(number);
    const states = this.#rows.get(id) ?? [];
    const visibleAt = lateMs === undefined ? 0 : this.now() + lateMs;
    states.push({ row, number, time, visibleAt: Math.max(visibleAt, states.at(-1)?.visibleAt ?? 0) });
    this.#rows.set(id, states);
  }

  remove(id: string): void {
    this.#rows.delete(id);
  }

  /** Hides rows from reads and lists until the service settles. */
  hide(ids: Iterable<string> = this.#rows.keys()): void {
    for (const id of ids) this.#show(this.#rows.get(id)!, Infinity);
  }

  /** Shows all rows on all replicas. */
  settle(): void {
    for (const states of this.#rows.values()) this.#show(states, 0);
  }

  /** Invalidates all cursors returned so far. */
  expireCursors(): void {
    this.#firstWalk = this.#walks.push([]);
  }

  /** A page of the list. Throws `invalid_cursor` if the cursor has expired. */
  page(since: string | undefined, cursor?: string): Page<Row> {
    const [place = '', walk = this.#walks.length] = cursor?.split('/') ?? [];
    if (Number(walk) < this.#firstWalk) throw apiError(422, 'invalid_cursor');
    const isLive = this.isLive || this.isFeed;
    const rest = isLive
      ? this.#list(since, place)
      : (this.#walks[Number(walk)] ??= this.#list(since)).slice(Number(place));
    const page = rest.slice(0, this.pageSize);
    const end = isLive ? (page.at(-1)?.key ?? place) : Number(place) + page.length;
    const hasCursor = this.isFeed || rest.length > page.length;
    return { rows: page.map(({ row }) => row), ...(hasCursor && { nextCursor: `${end}/${walk}` }) };
  }

  /** The rows on the next replica, with the keys that order them. */
  #list(since = '', after = '') {
    const from = Date.parse(since);
    return this.#asOf(this.lags[this.#pages++ % this.lags.length]!)
      .filter(({ time }) => !(time < from || (time === from && this.since === 'exclusive')))
      .filter(({ row }) => !this.unlisted.has(row.id ?? ''))
      .map((state) => ({ row: state.row, key: (state.key ??= this.#keyOf(state)) }))
      .filter(({ key }) => after === '' || this.#compare(key, after) > 0)
      .sort((a, b) => this.#compare(a.key, b.key));
  }

  #asOf(lagMs: number): State[] {
    const asOf = this.now() - lagMs;
    const states = [...this.#rows.values()];
    return states.flatMap((all) => all.findLast(({ visibleAt }) => visibleAt <= asOf) ?? []);
  }

  #show(states: State[], visibleAt: number): void {
    for (const state of states) Object.assign(state, { visibleAt, key: undefined });
  }

  /** All times have equally many digits. */
  #keyOf({ row, number, time, visibleAt }: State): string {
    if (this.order === 'by arrival') return `${visibleAt} ${String(number).padStart(6, '0')}`;
    const id = row.id ?? String(number).padStart(6, '0');
    return this.order === 'id' ? id : `${time} ${id}`;
  }

  #compare(a: string, b: string): number {
    if (a === b) return 0;
    return a < b === (this.order === 'descending') ? 1 : -1;
  }
}

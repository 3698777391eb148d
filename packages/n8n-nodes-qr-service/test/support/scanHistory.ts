import { endFeed, paginate, type Paginated } from '../../../../shared/src/client/Paginated.ts';
import type { ScanPage, ScanRow } from '../../../../shared/src/contract/types.ts';
import type { ScanQuery } from '../../../../shared/src/client/Scans.ts';
import { pageError } from './liveList.ts';

/** How the history shows its scans. */
export interface ScanHistoryShape {
  /** Whether rows have times and, if so, whether the history is sorted by these or by arrival. */
  times: 'in order' | 'by arrival' | 'none';
  isFeed: boolean;
  pageSize: number;
  /** Lag in milliseconds of the replicas, which serve the pages in turn. */
  lags: number[];
}

interface Scan {
  row: ScanRow;
  time: number;
  visibleAt: number;
  number: number;
}

/** A history of scans without IDs, many of those with times alike in every field. Scans may become visible late. */
export class ScanHistory {
  /** Called before each page. If it throws, the page fails with that error. */
  beforePage: () => void = () => undefined;
  now = Date.UTC(2026, 0, 1);
  readonly #shape: ScanHistoryShape;
  readonly #scans: Scan[] = [];
  #generation = 0;
  #pages = 0;

  constructor(shape: ScanHistoryShape) {
    this.#shape = shape;
  }

  /** All rows, whether visible or not. */
  get rows(): ScanRow[] {
    return this.#scans.map(({ row }) => row);
  }

  /** Rows that not every replica shows yet. */
  get hidden(): ScanRow[] {
    const asOf = this.now - (this.#shape.times === 'none' ? 0 : Math.max(...this.#shape.lags));
    return this.#scans.filter(({ visibleAt }) => visibleAt > asOf).map(({ row }) => row);
  }

  /** Records a scan that becomes visible after this many milliseconds. */
  scan(qrId: string, lateMs: number): void {
    const isTimed = this.#shape.times !== 'none';
    this.#scans.push({
      row: {
        qrId,
        ...(isTimed ? { scannedAt: new Date(this.now).toISOString() } : { visit: this.#scans.length }),
      },
      time: this.now,
      visibleAt: this.now + (isTimed ? lateMs : 0),
      number: this.#scans.length,
    });
  }

  expireCursors(): void {
    this.#generation += 1;
  }

  /** Replaces the core's `scans.list`. */
  list({ since, cursor }: ScanQuery): Paginated<ScanRow, ScanPage> {
    // eslint-disable-next-line @typescript-eslint/require-await -- errors must reject
    return paginate<ScanRow, ScanPage>(async (at) => endFeed(this.#page(since, at), at), { cursor });
  }

  #page(since: string | undefined, cursor: string | undefined): ScanPage {
    this.beforePage();
    const { times, isFeed, pageSize, lags } = this.#shape;
    const [generation = '', after = ''] = cursor?.split('/') ?? [`${this.#generation}`, ''];
    if (generation !== `${this.#generation}`) throw pageError('invalid_cursor');
    const asOf = this.now - (times === 'none' ? 0 : (lags[this.#pages++ % lags.length] ?? 0));
    const found = this.#scans
      .filter(({ visibleAt }) => visibleAt <= asOf)
      .filter(({ time }) => since === undefined || times === 'none' || time >= Date.parse(since))
      .map((scan) => ({ scan, sortKey: this.#sortKey(scan) }))
      .filter(({ sortKey }) => sortKey > after)
      .sort((a, b) => (a.sortKey < b.sortKey ? -1 : 1));
    const page = found.slice(0, pageSize);
    const last = page.at(-1)?.sortKey ?? after;
    const hasNext = isFeed || found.length > page.length;
    return {
      rows: page.map(({ scan }) => ({ ...scan.row })),
      allowedDimensions: [],
      servedAt: Math.floor(this.now / 1000) * 1000,
      ...(hasNext ? { nextCursor: `${this.#generation}/${last}` } : {}),
    };
  }

  #sortKey({ time, visibleAt, number }: Scan): string {
    const { times } = this.#shape;
    const at = times === 'in order' ? time : times === 'by arrival' ? visibleAt : 0;
    return `${String(at).padStart(15, '0')} ${String(number).padStart(6, '0')}`;
  }
}

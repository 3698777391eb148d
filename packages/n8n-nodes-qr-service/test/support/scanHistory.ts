import { paginate, type Paginated } from '../../../../shared/src/client/Paginated.ts';
import type { ScanPage, ScanRow } from '../../../../shared/src/contract/types.ts';
import type { ScanQuery } from '../../../../shared/src/client/Scans.ts';
import { refusal } from './liveList.ts';

/** How the history shows its scans. */
export interface ScanHistoryShape {
  /** Whether a row says when it was made; then the history may be in the order of the times, or of arrival. */
  times: 'in order' | 'by arrival' | 'none';
  isFeed: boolean;
  pageSize: number;
  /** How far the replicas lag that serve the pages, in milliseconds, one after the other. */
  lags: number[];
}

interface Scan {
  row: ScanRow;
  time: number;
  visibleAt: number;
  number: number;
}

/** A history of scans without ids, of which many are alike. Scans may become visible late. */
export class ScanHistory {
  /** Called before each page; a page fails with what it throws. */
  beforePage: () => void = () => undefined;
  now = Date.UTC(2026, 0, 1);
  readonly #shape: ScanHistoryShape;
  readonly #scans: Scan[] = [];
  #generation = 0;
  #pages = 0;

  constructor(shape: ScanHistoryShape) {
    this.#shape = shape;
  }

  /** All rows, visible or not yet. */
  get rows(): ScanRow[] {
    return this.#scans.map(({ row }) => row);
  }

  /** Rows that not every replica shows yet. */
  get hidden(): ScanRow[] {
    const asOf = this.now - (this.#shape.times === 'none' ? 0 : Math.max(...this.#shape.lags));
    return this.#scans.filter(({ visibleAt }) => visibleAt > asOf).map(({ row }) => row);
  }

  /** Records a scan that is visible so late, in milliseconds. */
  scan(qrId: string, lateMs: number): void {
    const isTimed = this.#shape.times !== 'none';
    this.#scans.push({
      row: { qrId, ...(isTimed ? { scannedAt: new Date(this.now).toISOString() } : {}) },
      time: this.now,
      visibleAt: this.now + (isTimed ? lateMs : 0),
      number: this.#scans.length,
    });
  }

  expireCursors(): void {
    this.#generation += 1;
  }

  /** Stands for the core's `scans.list`. */
  list({ since, cursor }: ScanQuery): Paginated<ScanRow, ScanPage> {
    // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is to reject
    return paginate<ScanRow, ScanPage>(async (at) => this.#page(since, at), { cursor });
  }

  #page(since: string | undefined, cursor: string | undefined): ScanPage {
    this.beforePage();
    const { times, isFeed, pageSize, lags } = this.#shape;
    const [generation = '', after = ''] = cursor?.split('/') ?? [`${this.#generation}`, ''];
    if (generation !== `${this.#generation}`) throw refusal('invalid_cursor');
    const asOf = this.now - (times === 'none' ? 0 : (lags[this.#pages++ % lags.length] ?? 0));
    const found = this.#scans
      .filter(({ visibleAt }) => visibleAt <= asOf)
      .filter(({ time }) => since === undefined || times === 'none' || time >= Date.parse(since))
      .map((scan) => ({ scan, place: this.#place(scan) }))
      .filter(({ place }) => place > after)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const page = found.slice(0, pageSize);
    const last = page.at(-1)?.place ?? after;
    const hasNext = isFeed || found.length > page.length;
    return {
      rows: page.map(({ scan }) => ({ ...scan.row })),
      allowedDimensions: [],
      servedAt: Math.floor(this.now / 1000) * 1000,
      ...(hasNext ? { nextCursor: `${this.#generation}/${last}` } : {}),
    };
  }

  #place({ time, visibleAt, number }: Scan): string {
    const { times } = this.#shape;
    const at = times === 'in order' ? time : times === 'by arrival' ? visibleAt : 0;
    return `${String(at).padStart(15, '0')} ${String(number).padStart(6, '0')}`;
  }
}

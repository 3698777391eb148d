import { endFeed, paginate } from '../../../../shared/src/client/Paginated.ts';
import type { PlatformClient } from '../../../../shared/src/client/PlatformClient.ts';
import type { Page } from '../../../../shared/src/contract/types.ts';
import { Codes } from '../../../../test/support/modelService/codes.ts';
import type { Row } from '../../../../test/support/modelService/rows.ts';
import { LISTS, type ReadPages, type Watch } from '../../nodes/QrServicePollingTrigger/lists.ts';

const SIGNAL = new AbortController().signal;

/** How a list shows its rows. */
export type LiveListShape = Pick<LiveList, 'order' | 'since' | 'pageSize' | 'lags'>;

/** A list on a service without snapshots, which polling reads. */
export class LiveList extends Codes {
  override isLive = true;
  /** Called before each page. If it throws, the page fails with that error. */
  beforePage: () => void = () => undefined;

  constructor(shape: LiveListShape & { isFeed?: boolean }) {
    super();
    Object.assign(this, shape);
  }

  /** Creates a code that becomes visible after this many milliseconds. */
  addCode(lateMs = 0): void {
    // IDs aren't in the order of creation.
    const id = `qr-${String((this.codes.length * 7919) % 10_007).padStart(5, '0')}`;
    const updatedAt = new Date(this.now()).toISOString();
    this.put({ id, name: 'State 0', status: 'draft', updatedAt }, lateMs);
  }

  /** Edits one of the codes. Does nothing if there are none, or if the code already has the status. */
  edit(nth: number, status?: string, lateMs = 0): void {
    const code = this.codes[nth % this.codes.length];
    if (code === undefined || code.status === status) return;
    const name = `State ${Number(code.name.slice('State '.length)) + 1}`;
    this.change(code.id, { name, status: status ?? code.status }, lateMs);
  }

  /** Reads the list as polling does. */
  reader(watch: Watch): ReadPages {
    const list = (query: { updatedSince?: string; since?: string; cursor?: string }) =>
      paginate<Row, Page<Row>>(
        // oxlint-disable-next-line typescript/require-await -- errors must reject
        async ({ cursor }) => {
          this.beforePage();
          // The `Date` header has whole seconds.
          const servedAt = Math.floor(this.now() / 1000) * 1000;
          return endFeed({ ...this.page(query.updatedSince ?? query.since, cursor), servedAt }, cursor);
        },
        query,
      );
    return LISTS[watch]({ qr: { list }, scans: { list } } as unknown as PlatformClient, SIGNAL);
  }
}

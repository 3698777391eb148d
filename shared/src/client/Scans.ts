import type { ScanPage, ScanRow } from '../contract/types.ts';
import { omitUndefined } from '../json/json.ts';
import { readServedAt } from '../wire/headers.ts';
import { readPage } from '../wire/list.ts';
import { endFeed, paginate, type Paginated } from './Paginated.ts';
import type { CallOptions, RequestExecutor } from './RequestExecutor.ts';

/** Which scans to list. */
export interface ScanQuery {
  /** Only scans since this ISO 8601 UTC time. Default: all scans. */
  since?: string;
  /** `nextCursor` of the previous page. Default: the first page. */
  cursor?: string | undefined;
  /** Rows per page. Default: the service's choice. */
  limit?: number;
}

/** Scan history, the only endpoint for scans (docs/api.md#scans). */
export class Scans {
  readonly #executor: RequestExecutor;

  constructor(executor: RequestExecutor) {
    this.#executor = executor;
  }

  /** Lists all matching scans, in the service's order: rows as received, which `identifyScans` gives an ID and a time. */
  list(query: ScanQuery = {}, options?: CallOptions): Paginated<ScanRow, ScanPage> {
    return paginate((page, call) => this.listPage(page, call), query, options);
  }

  /** Fetches one page of scans. */
  async listPage(query: ScanQuery = {}, options?: CallOptions): Promise<ScanPage> {
    const call = { method: 'GET', path: '/scans', query: { ...query } } as const;
    return this.#executor.send(call, options, ({ headers, body }) =>
      endFeed({ ...readPage(body), ...omitUndefined({ servedAt: readServedAt(headers) }) }, query.cursor),
    );
  }
}

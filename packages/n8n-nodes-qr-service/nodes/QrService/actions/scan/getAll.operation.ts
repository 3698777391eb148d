import type { INodeProperties } from 'n8n-workflow';
import { scanRows, type ScanRow } from '../../../../core.ts';
import { optionsProperty } from '../../descriptions/options.ts';
import { paginationProperties } from '../../descriptions/pagination.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { rowLimit, takeRows } from '../../helpers/listRows.ts';
import type { Operation } from '../../run/Run.ts';

const sinceFilter = {
  displayName: 'Since',
  name: 'since',
  type: 'dateTime',
  default: '',
  description: 'Only scans since this time, which is a date and time in ISO 8601 like 2026-01-31T09:00:00Z',
} satisfies INodeProperties;

const filtersProperty: INodeProperties = {
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  options: [sinceFilter],
};

export const description = showFor(
  'scan',
  ['getAll'],
  [...paginationProperties, filtersProperty, optionsProperty()],
);

/**
 * Lists scans, oldest first. The API text describes no fields of a scan, so each row also gets its own stable
 * `scanId`.
 */
export const execute: Operation = async (run, itemIndex) => {
  const parameters = run.parameters(itemIndex);
  const since = parameters.in(filtersProperty).time(sinceFilter);
  const limit = rowLimit(parameters);
  const scans = run.client.scans.list(since === undefined ? {} : { since }, run.requestOptions);
  return takeRows(withScanIds(scans), limit);
};

async function* withScanIds(scans: AsyncIterable<ScanRow>): AsyncGenerator<ScanRow> {
  const counts = new Map<string, number>();
  for await (const row of scans) {
    for (const { id, scan } of scanRows([row], counts)) {
      const own = scan['scanId'];
      yield { scanId: id, ...scan, ...(own === null || own === '' ? { scanId: id } : {}) };
    }
  }
}

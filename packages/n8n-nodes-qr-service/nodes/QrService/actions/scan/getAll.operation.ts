import type { IDataObject } from 'n8n-workflow';
import { scanRows, type ScanRow } from '../../../../core.ts';
import { optionsProperty } from '../../descriptions/options.ts';
import { paginationProperties } from '../../descriptions/pagination.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { rowLimit, takeRows } from '../../helpers/listRows.ts';
import { utcTime } from '../../helpers/utcTime.ts';
import type { Operation } from '../Run.ts';

export const description = showFor(
  'scan',
  ['getAll'],
  [
    ...paginationProperties,
    {
      displayName: 'Filters',
      name: 'filters',
      type: 'collection',
      placeholder: 'Add Filter',
      default: {},
      options: [
        {
          displayName: 'Since',
          name: 'since',
          type: 'dateTime',
          default: '',
          description:
            'Only scans since this time, which is a date and time in ISO 8601 like 2026-01-31T09:00:00Z',
        },
      ],
    },
    optionsProperty(),
  ],
);

/** Scans, oldest first. The API text shows no fields of a scan, so each row also gets a stable `scanId` of its own. */
export const execute: Operation = async (run, itemIndex) => {
  const { since }: IDataObject = run.context.getNodeParameter('filters', itemIndex);
  const from = utcTime(run.context, since, itemIndex);
  const walk = run.client.scans.list(from === undefined ? {} : { since: from }, run.readOptions);
  return takeRows(withScanIds(walk), rowLimit(run, itemIndex));
};

async function* withScanIds(walk: AsyncIterable<ScanRow>): AsyncGenerator<ScanRow> {
  const counts = new Map<string, number>();
  for await (const row of walk) {
    for (const { id, scan } of scanRows([row], counts)) {
      const own = scan['scanId'];
      yield { scanId: id, ...scan, ...(own === null || own === '' ? { scanId: id } : {}) };
    }
  }
}

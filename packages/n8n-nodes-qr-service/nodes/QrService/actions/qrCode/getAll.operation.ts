import type { IDataObject } from 'n8n-workflow';
import { optionsProperty } from '../../descriptions/options.ts';
import { paginationProperties } from '../../descriptions/pagination.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { pageSize, rowLimit, takeRows } from '../../helpers/listRows.ts';
import { utcTime } from '../../helpers/utcTime.ts';
import type { Operation } from '../Run.ts';

export const description = showFor(
  'qrCode',
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
          displayName: 'Updated Since',
          name: 'updatedSince',
          type: 'dateTime',
          default: '',
          description:
            'Only QR codes changed since this time, which is a date and time in ISO 8601 like 2026-01-31T09:00:00Z',
        },
      ],
    },
    optionsProperty(),
  ],
);

/** All codes, or the first ones, or those changed since a time. */
export const execute: Operation = async (run, itemIndex) => {
  const filters: IDataObject = run.context.getNodeParameter('filters', itemIndex);
  const updatedSince = utcTime(run.context, filters['updatedSince'], itemIndex);
  const limit = rowLimit(run, itemIndex);
  const query = {
    ...pageSize(limit),
    ...(updatedSince === undefined ? {} : { updatedSince }),
  };
  return takeRows(run.client.qr.list(query, run.readOptions), limit);
};

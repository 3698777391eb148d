import type { INodeProperties } from 'n8n-workflow';
import { optionsProperty } from '../../descriptions/options.ts';
import { paginationProperties } from '../../descriptions/pagination.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { pageSize, rowLimit, takeRows } from '../../helpers/listRows.ts';
import type { Operation } from '../../run/Run.ts';

const updatedSinceFilter = {
  displayName: 'Updated Since',
  name: 'updatedSince',
  type: 'dateTime',
  default: '',
  description:
    'Only QR codes changed since this time, which is a date and time in ISO 8601 like 2026-01-31T09:00:00Z',
} satisfies INodeProperties;

const filtersProperty: INodeProperties = {
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  options: [updatedSinceFilter],
};

export const description = showFor(
  'qrCode',
  ['getAll'],
  [...paginationProperties, filtersProperty, optionsProperty()],
);

/** Lists all codes, the first ones, or those changed since a time. */
export const execute: Operation = async (run, itemIndex) => {
  const parameters = run.parameters(itemIndex);
  const updatedSince = parameters.in(filtersProperty).time(updatedSinceFilter);
  const limit = rowLimit(parameters);
  const query = {
    ...pageSize(limit),
    ...(updatedSince === undefined ? {} : { updatedSince }),
  };
  return takeRows(run.client.qr.list(query, run.requestOptions), limit);
};

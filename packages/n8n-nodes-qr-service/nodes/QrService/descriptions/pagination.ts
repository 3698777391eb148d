import type { INodeProperties } from 'n8n-workflow';

export const returnAllProperty: INodeProperties = {
  displayName: 'Return All',
  name: 'returnAll',
  type: 'boolean',
  default: false,
  description: 'Whether to return all results or only up to a given limit',
};

export const limitProperty: INodeProperties = {
  displayName: 'Limit',
  name: 'limit',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 50,
  description: 'Max number of results to return',
  // Not `show` for false: if an imported workflow has Return All as text, n8n would then drop the limit.
  displayOptions: { hide: { returnAll: [true] } },
};

/** Return All and Limit, as in every list operation of n8n. */
export const paginationProperties: INodeProperties[] = [returnAllProperty, limitProperty];

/** The Filters of a list operation. */
export const filtersProperty = (...options: INodeProperties[]): INodeProperties => ({
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  options,
});

import type { INodeProperties } from 'n8n-workflow';
import { returnAllProperty, limitProperty, showFor } from '../common/descriptions.ts';
import { rowLimit, takeRows } from '../common/listRows.ts';
import { type Operation } from '../common/run.ts';

const searchProperty: INodeProperties = {
  displayName: 'Name or Short Link',
  name: 'search',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. Table 4',
  description:
    'All or part of the name of the QR code, its short link or its ID. Case and accents are ignored. The best match comes first.',
};

const exactMatchProperty: INodeProperties = {
  displayName: 'Exact Match',
  name: 'exactMatch',
  type: 'boolean',
  default: false,
  description:
    'Whether the whole name must match. Another case counts only if no code has the exact name. Turn this on if a later node creates or updates codes: otherwise, "Table 1" also finds "Table 10".',
};

export const description = showFor(
  'qrCode',
  ['find'],
  [searchProperty, exactMatchProperty, returnAllProperty, limitProperty],
);

/**
 * Finds codes by name, short link or ID, best match first. The API has no search, so the whole list is read, once for
 * all items: a code that wasn't found doesn't exist.
 */
export const execute: Operation = (run, itemIndex) => {
  const parameters = run.parameters(itemIndex);
  const text = parameters.text(searchProperty);
  const exact = parameters.yesNo(exactMatchProperty);
  const limit = rowLimit(run, itemIndex);
  return async () =>
    takeRows(run, await run.codes().search(text, { exact }), limit, {
      rows: 'matching QR codes',
      advice: 'Search with more of the name.',
    });
};

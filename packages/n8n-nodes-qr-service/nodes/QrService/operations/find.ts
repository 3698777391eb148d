import type { INodeProperties } from 'n8n-workflow';
import { limitProperty, returnAllProperty } from '../common/descriptions.ts';
import { rowLimit, takeRows } from '../common/listRows.ts';
import type { Operation } from '../common/operation.ts';

export const option = {
  name: 'Find',
  action: 'Find QR codes by name or short link',
  description: 'Search for QR codes by name, short link or ID',
};

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
    'Whether the whole name must match. Case is ignored only if no code has the exact name. Turn this on if a later node creates or updates codes: otherwise, "Table 1" also finds "Table 10".',
};

export const properties = [searchProperty, exactMatchProperty, returnAllProperty, limitProperty];

/** Finds codes, best match first. The whole list is read once for all items: a code that wasn't found doesn't exist. */
export const start: Operation['start'] = (run) => ({
  check(parameters) {
    const text = parameters.text(searchProperty);
    const exact = parameters.yesNo(exactMatchProperty);
    const limit = rowLimit(parameters);
    const words = { rows: 'matching QR codes', advice: 'Search with more of the name.' };
    return async () => {
      const found = await run.references.codes().search(text, { exact });
      return { outputs: await takeRows(run, found, limit, words) };
    };
  },
});

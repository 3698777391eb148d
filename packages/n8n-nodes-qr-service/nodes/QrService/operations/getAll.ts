import type { INodeProperties } from 'n8n-workflow';
import {
  hasStatus,
  INPUTS,
  newestFirst,
  normalize,
  omitUndefined,
  showText,
  type QrCode,
} from '../../../deps.ts';
import { collection, inputProperty } from '../../platform/properties.ts';
import { limitProperty, returnAllProperty } from '../common/descriptions.ts';
import { rowLimit, takeRows } from '../common/listRows.ts';
import type { Operation } from '../common/operation.ts';

export const option = {
  name: 'Get Many',
  action: 'Get many QR codes',
  description: 'Get many QR codes, for example those updated since a given time',
};

const newestFirstProperty: INodeProperties = {
  displayName: 'Newest First',
  name: 'newestFirst',
  type: 'boolean',
  default: false,
  description: 'Whether to return the most recently updated QR codes first. This reads all QR codes.',
};

const statusFilter: INodeProperties = {
  displayName: 'Status',
  name: 'status',
  type: 'string',
  default: '',
  placeholder: 'e.g. published, archived',
  description:
    'Only return QR codes with this status, or with one of several separated by commas. This reads all QR codes.',
};

const updatedSinceFilter = inputProperty(INPUTS.updatedSince);

const filters = collection('Filter', statusFilter, updatedSinceFilter);

/** Page size that any service accepts. For more rows, the core finds out the largest. */
const SAFE_PAGE_SIZE = 50;

export const properties = [returnAllProperty, limitProperty, newestFirstProperty, filters];

/** Lists all codes, the first or the newest ones, or those with a status or changed since a time. */
export const start: Operation['start'] = (run) => ({
  check(parameters) {
    const isSorted = parameters.yesNo(newestFirstProperty);
    const status = parameters.in(filters).text(statusFilter);
    const updatedSince = parameters.in(filters).time(updatedSinceFilter);
    const limit = rowLimit(parameters);
    const isOnePage = !isSorted && status === '' && limit !== undefined && limit <= SAFE_PAGE_SIZE;
    const query = omitUndefined({ limit: isOnePage ? limit : undefined, updatedSince });
    return async () => {
      const seen = new Set<string>();
      const codes = matching(run.client.qr.list(query, run.requestOptions), status, seen);
      const outputs = await takeRows(run, isSorted ? await sorted(codes) : codes, limit, {
        rows: 'QR codes',
        advice: 'To find a specific one, use the Find operation. To list fewer, use Updated Since.',
      });
      if (outputs.length > 0 || seen.size === 0) return { outputs };
      const found = [...seen].join(', ');
      return { outputs, warning: `No QR code has the status "${showText(status)}". Found: ${found}.` };
    };
  },
});

/** The codes with one of these statuses. `seen` gets all statuses. */
async function* matching(codes: AsyncIterable<QrCode>, statuses: string, seen: Set<string>) {
  const isWanted = hasStatus(statuses.split(','));
  for await (const code of codes) {
    if (normalize(code.status) !== '') seen.add(showText(code.status));
    if (isWanted(code)) yield code;
  }
}

async function sorted(codes: AsyncIterable<QrCode>): Promise<QrCode[]> {
  const found: QrCode[] = [];
  for await (const code of codes) found.push(code);
  return newestFirst(found, ({ updatedAt }) => updatedAt);
}

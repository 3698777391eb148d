import type { INodeProperties } from 'n8n-workflow';
import {
  checkPeriod,
  describeError,
  INPUTS,
  readScannedCodes,
  ScanCounter,
  scannedCodeId,
  sentence,
} from '../../../deps.ts';
import { N8N_WORDS } from '../../platform/errors.ts';
import type { Parameters } from '../../platform/parameters.ts';
import { collection, inputProperty } from '../../platform/properties.ts';
import { limitProperty, qrCodeIdProperty, returnAllProperty } from '../common/descriptions.ts';
import { rowLimit, takeRows } from '../common/listRows.ts';
import type { Operation } from '../common/operation.ts';
import type { Run } from '../common/startRun.ts';

export const option = {
  name: 'Get Many',
  action: 'Get many scans',
  description: "Get many scans of QR codes, as far as the workspace's privacy settings allow",
};

const includeCodeProperty: INodeProperties = {
  displayName: 'Include QR Code',
  name: 'includeQrCode',
  type: 'boolean',
  default: true,
  description:
    "Whether to add the name and short link of each scan's QR code. Every code is read once. Needs the scope qr:read.",
};

const sinceFilter = inputProperty(INPUTS.since);
const untilFilter = inputProperty(INPUTS.until);

// n8n would require it of nodes that don't have the filter.
const { required: _required, ...codeFilter } = qrCodeIdProperty;

/** The filters of all operations on scans. */
export const filters = collection('Filter', codeFilter, sinceFilter, untilFilter);

export const properties = [returnAllProperty, limitProperty, includeCodeProperty, filters];

/** Scans, in the service's order. Each gets an `id` and a `scannedAt`, which docs/api.md#scans doesn't promise. */
export const start: Operation['start'] = (run) => ({
  check(parameters) {
    const { codeId, ...period } = readFilters(run, parameters);
    const includesCode = parameters.yesNo(includeCodeProperty);
    const limit = rowLimit(parameters);
    return async () => {
      const qrCodeId = await codeId();
      const words = { rows: 'scans', advice: 'To list later ones, use Since.' };
      const outputs = await takeRows(run, scansOf(run, qrCodeId, new ScanCounter(period)), limit, words);
      const scans = outputs.map(({ json }) => json).filter(({ id }) => id !== undefined);
      const ids = scans.map(scannedCodeId);
      const unscanned = qrCodeId === '' || ids.includes(qrCodeId) ? [] : [qrCodeId];
      const { nameOf, warning } = await readNames(run, includesCode ? ids : [], unscanned);
      if (includesCode) for (const scan of scans) scan['scannedCode'] = nameOf(scannedCodeId(scan));
      const unnamed = qrCodeId === '' ? 0 : ids.filter((id) => id === '').length;
      return { outputs, warning: [unnamedWords(unnamed, 'may be of another one'), warning] };
    };
  },
});

/** Reads the filters. `codeId` finds the ID of the only code, which is empty for all codes. */
export function readFilters({ references }: Run, parameters: Parameters) {
  const given = parameters.in(filters);
  const since = given.time(sinceFilter);
  const until = given.time(untilFilter);
  checkPeriod({ since, until }, { since: sinceFilter.displayName, until: untilFilter.displayName });
  const codeId = given.has(codeFilter) ? references.read(given) : () => Promise.resolve('');
  return { since, until, codeId };
}

/** Reads the names of scanned codes, and of those that must exist because no scan shows that they do. */
export async function readNames({ references }: Run, ids: readonly string[], unscanned: string[]) {
  const all = [...new Set([...ids, ...unscanned])].filter(Boolean);
  const { codes, refused } = await readScannedCodes(references.codes(all), all, unscanned);
  const nameOf = (id: string) => {
    const { name = null, publicUrl = null } = codes.get(id) ?? {};
    return { name, publicUrl };
  };
  if (refused === undefined) return { nameOf, warning: '' };
  const reason = sentence(describeError(refused, N8N_WORDS).message);
  const effect = ids.length > 0 ? 'The names of QR codes are empty' : 'The QR code may not exist';
  return { nameOf, warning: `${effect}. ${reason}` };
}

/** Tells how many scans don't say which code they are of. */
export function unnamedWords(count: number, what: string): string {
  const number = count.toLocaleString('en-US');
  return count === 0 ? '' : `Scans that don't name their QR code, and ${what}: ${number}.`;
}

/** The scans of a code, or all of them. One without a code's ID passes, so that a filter never loses scans. */
async function* scansOf({ client, requestOptions }: Run, qrCodeId: string, counter: ScanCounter) {
  for await (const { rows } of client.scans.list(counter.query, requestOptions).pages()) {
    for (const row of rows) {
      const scan = counter.add(row);
      const isOfCode = qrCodeId === '' || ['', qrCodeId].includes(scannedCodeId(row));
      if (scan !== undefined && isOfCode) yield scan;
    }
    if (counter.isOver) return;
  }
}

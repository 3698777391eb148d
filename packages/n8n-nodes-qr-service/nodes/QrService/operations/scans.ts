import { identifyScans, INPUTS, omitUndefined, type ScanOutputRow, type ScanRow } from '../../../deps.ts';
import {
  filtersProperty,
  operationProperty,
  returnAllProperty,
  limitProperty,
  showFor,
} from '../common/descriptions.ts';
import { inputProperty } from '../../platform/inputProperty.ts';
import { rowLimit, takeRows } from '../common/listRows.ts';
import { type Operation } from '../common/run.ts';

/** The Operation parameter of scans. */
export const scanOperation = operationProperty('getAll', [
  [
    'getAll',
    'Get Many',
    'Get many scans',
    "Get many scans of QR codes, as far as the workspace's privacy settings allow",
  ],
]);

const sinceFilter = inputProperty(INPUTS.since);

const filters = filtersProperty(sinceFilter);

export const description = [
  ...showFor('scan', [], [scanOperation]),
  ...showFor('scan', ['getAll'], [returnAllProperty, limitProperty, filters]),
];

/** Scans, in the service's order. Each gets an `id` and a `scannedAt`, as the API text documents no fields of a scan. */
export const execute: Operation = (run, itemIndex) => {
  const since = run.parameters(itemIndex).in(filters).time(sinceFilter);
  const limit = rowLimit(run, itemIndex);
  return () => {
    const scans = scanItems(run.client.scans.list(omitUndefined({ since }), run.requestOptions));
    return takeRows(run, scans, limit, { rows: 'scans', advice: 'To list later ones, use Since.' });
  };
};

async function* scanItems(rows: AsyncIterable<ScanRow>): AsyncGenerator<ScanOutputRow> {
  const seen = new Set<string>();
  for await (const row of rows) yield* identifyScans([row], seen);
}

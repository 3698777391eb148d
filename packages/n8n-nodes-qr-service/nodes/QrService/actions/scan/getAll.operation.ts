import type { INodeProperties } from 'n8n-workflow';
import {
  INPUTS,
  omitUndefined,
  scanRow,
  scanRows,
  type ScanOutputRow,
  type ScanRow,
} from '../../../../core.ts';
import { paginationProperties } from '../../descriptions/pagination.ts';
import { inputProperty } from '../../../shared/inputProperty.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { rowLimit, takeRows } from '../../run/listRows.ts';
import type { Operation } from '../../run/Run.ts';

const sinceFilter = inputProperty(INPUTS.since);

const filtersProperty: INodeProperties = {
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  options: [sinceFilter],
};

export const description = showFor('scan', ['getAll'], [...paginationProperties, filtersProperty]);

/** Scans, oldest first. Each gets an `id` and a `scannedAt`, as the API text documents no fields of a scan. */
export const execute: Operation = async (run, itemIndex) => {
  const since = run.parameters(itemIndex).in(filtersProperty).time(sinceFilter);
  const limit = rowLimit(run, itemIndex);
  const scans = scanItems(run.client.scans.list(omitUndefined({ since }), run.requestOptions));
  return takeRows(run, scans, limit, { rows: 'scans', advice: 'To list later ones, use Since.' });
};

async function* scanItems(rows: AsyncIterable<ScanRow>): AsyncGenerator<ScanOutputRow> {
  const counts = new Map<string, number>();
  for await (const row of rows) yield* scanRows([row], counts).map(scanRow);
}

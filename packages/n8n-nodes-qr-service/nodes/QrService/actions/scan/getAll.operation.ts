import {
  INPUTS,
  omitUndefined,
  scanRow,
  scanRows,
  type ScanOutputRow,
  type ScanRow,
} from '../../../../core.ts';
import { filtersProperty, paginationProperties } from '../../descriptions/pagination.ts';
import { inputProperty } from '../../../shared/inputProperty.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { rowLimit, takeRows } from '../../run/listRows.ts';
import type { Operation } from '../../run/Run.ts';

const sinceFilter = inputProperty(INPUTS.since);

const filters = filtersProperty(sinceFilter);

export const description = showFor('scan', ['getAll'], [...paginationProperties, filters]);

/** Scans, oldest first. Each gets an `id` and a `scannedAt`, as the API text documents no fields of a scan. */
export const execute: Operation = (run, itemIndex) => {
  const since = run.parameters(itemIndex).in(filters).time(sinceFilter);
  const limit = rowLimit(run, itemIndex);
  return () => {
    const scans = scanItems(run.client.scans.list(omitUndefined({ since }), run.requestOptions));
    return takeRows(run, scans, limit, { rows: 'scans', advice: 'To list later ones, use Since.' });
  };
};

async function* scanItems(rows: AsyncIterable<ScanRow>): AsyncGenerator<ScanOutputRow> {
  const counts = new Map<string, number>();
  for await (const row of rows) yield* scanRows([row], counts).map(scanRow);
}

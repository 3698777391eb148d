import { INPUTS, omitUndefined } from '../../../../core.ts';
import { filtersProperty, paginationProperties } from '../../descriptions/pagination.ts';
import { inputProperty } from '../../../shared/inputProperty.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { pageSize, rowLimit, takeRows } from '../../run/listRows.ts';
import type { Operation } from '../../run/Run.ts';

const updatedSinceFilter = inputProperty(INPUTS.updatedSince);

const filters = filtersProperty(updatedSinceFilter);

export const description = showFor('qrCode', ['getAll'], [...paginationProperties, filters]);

/** Lists all codes, the first ones, or those changed since a time. */
export const execute: Operation = async (run, itemIndex) => {
  const updatedSince = run.parameters(itemIndex).in(filters).time(updatedSinceFilter);
  const limit = rowLimit(run, itemIndex);
  const query = { ...pageSize(limit), ...omitUndefined({ updatedSince }) };
  return takeRows(run, run.client.qr.list(query, run.requestOptions), limit, {
    rows: 'QR codes',
    advice: 'To find a specific one, use the Find operation. To list fewer, use Updated Since.',
  });
};

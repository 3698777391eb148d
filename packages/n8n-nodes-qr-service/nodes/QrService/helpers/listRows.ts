import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Page } from '../../../core.ts';
import type { Parameters } from '../../shared/parameters.ts';
import { limitProperty, returnAllProperty } from '../descriptions/pagination.ts';

/** Page size that any service accepts. For more rows, the core finds out the largest. */
const SAFE_PAGE_SIZE = 50;

/** The page size for a number of rows, if smaller than the core's. */
export function pageSize(limit: number | undefined): { limit?: number } {
  return limit === undefined || limit > SAFE_PAGE_SIZE ? {} : { limit };
}

/** How many rows an item requests with Return All and Limit; undefined for all. */
export function rowLimit(parameters: Parameters): number | undefined {
  return parameters.yesNo(returnAllProperty) ? undefined : parameters.wholeNumber(limitProperty);
}

/**
 * The first `limit` rows, or all of them.
 * @param onLimited called if the limit left out rows, or may have: a page's cursor doesn't tell whether rows follow
 */
export async function takeRows<Row extends object>(
  pages: AsyncIterable<Page<Row>>,
  limit: number | undefined,
  onLimited: () => void,
): Promise<INodeExecutionData[]> {
  const outputs: INodeExecutionData[] = [];
  for await (const { rows, nextCursor } of pages) {
    const left = (limit ?? Infinity) - outputs.length;
    for (const row of rows.slice(0, left)) outputs.push({ json: row as IDataObject });
    if (rows.length < left) continue;
    if (rows.length > left || nextCursor !== undefined) onLimited();
    break;
  }
  return outputs;
}

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
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

/** The first `limit` rows, or all of them. */
export async function takeRows<Row extends object>(
  rows: AsyncIterable<Row>,
  limit: number | undefined,
): Promise<INodeExecutionData[]> {
  const outputs: INodeExecutionData[] = [];
  for await (const row of rows) {
    outputs.push({ json: row as IDataObject });
    if (outputs.length === limit) break;
  }
  return outputs;
}

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Parameters } from '../../shared/parameters.ts';
import { limitProperty, returnAllProperty } from '../descriptions/pagination.ts';

/** Rows a page that any service may be asked for: for more, the core finds out how many it allows. */
const SMALL_PAGE = 50;

/** Page size for so many rows, where that is less than the core would ask for. */
export function pageSize(limit: number | undefined): { limit?: number } {
  return limit === undefined || limit > SMALL_PAGE ? {} : { limit };
}

/** How many rows an item asks for, by Return All and Limit; undefined for all. */
export function rowLimit(parameters: Parameters): number | undefined {
  return parameters.yesNo(returnAllProperty) ? undefined : parameters.wholeNumber(limitProperty);
}

/** The first `limit` rows of a walk, or all of them. */
export async function takeRows<Row extends object>(
  walk: AsyncIterable<Row>,
  limit: number | undefined,
): Promise<INodeExecutionData[]> {
  const outputs: INodeExecutionData[] = [];
  for await (const row of walk) {
    outputs.push({ json: row as IDataObject });
    if (outputs.length === limit) break;
  }
  return outputs;
}

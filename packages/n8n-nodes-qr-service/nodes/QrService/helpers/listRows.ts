import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Page, Walk } from '../../../core.ts';
import type { Parameters } from '../../shared/parameters.ts';
import { limitProperty, returnAllProperty } from '../descriptions/pagination.ts';

/** Page size that the service is asked for when there is no reason for less. */
export const FULL_PAGE = 100;

/** How many rows an item asks for, by Return All and Limit; undefined for all. */
export function rowLimit(parameters: Parameters): number | undefined {
  return parameters.yesNo(returnAllProperty) ? undefined : parameters.wholeNumber(limitProperty);
}

/** The first `limit` rows of a walk, or all of them. */
export async function takeRows<Row extends object>(
  walk: Walk<Row, Page<Row>>,
  limit: number | undefined,
): Promise<INodeExecutionData[]> {
  const outputs: INodeExecutionData[] = [];
  for await (const row of walk) {
    outputs.push({ json: row as IDataObject });
    if (outputs.length === limit) break;
  }
  return outputs;
}

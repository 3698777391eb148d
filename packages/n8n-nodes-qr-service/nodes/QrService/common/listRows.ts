import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { inOutputOrder } from '../../../deps.ts';
import type { Parameters } from '../../platform/parameters.ts';
import { isAgentRun } from './agent.ts';
import { limitProperty, returnAllProperty } from './descriptions.ts';
import type { Run } from './startRun.ts';

/** Maximum number of rows for an agent, whose model has to read all of them. */
const MAX_AGENT_ROWS = 100;

/** How many rows an item requests with Return All and Limit; undefined for all. */
export function rowLimit(parameters: Parameters): number | undefined {
  return parameters.yesNo(returnAllProperty) ? undefined : parameters.wholeNumber(limitProperty);
}

/**
 * The first `wanted` rows, or all. An agent never gets all, but a message if there are none or more, with `advice` on how to
 * get them.
 */
export async function takeRows<Row extends object>(
  { context }: Run,
  rows: AsyncIterable<Row> | Iterable<Row>,
  wanted: number | undefined,
  { rows: noun, advice }: { rows: string; advice: string },
): Promise<INodeExecutionData[]> {
  const isForAgent = isAgentRun(context);
  const limit = isForAgent ? Math.min(wanted ?? MAX_AGENT_ROWS, MAX_AGENT_ROWS) : wanted;
  const outputs: INodeExecutionData[] = [];
  for await (const row of rows) {
    if (outputs.length === limit) {
      outputs.push({ json: { message: `These are the first ${limit} ${noun}. There are more. ${advice}` } });
      return outputs;
    }
    outputs.push({ json: inOutputOrder(row) as IDataObject });
    if (!isForAgent && outputs.length === limit) return outputs;
  }
  // n8n turns a result without items into an empty text for the model.
  return isForAgent && outputs.length === 0 ? [{ json: { message: `No ${noun} were found.` } }] : outputs;
}

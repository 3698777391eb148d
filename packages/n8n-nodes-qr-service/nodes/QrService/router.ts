import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Parameters } from '../platform/parameters.ts';
import type { Operation } from './common/operation.ts';
import { failItems, runItems } from './common/runItems.ts';
import { startRun, type Run } from './common/startRun.ts';
import { resourceProperty, RESOURCES, type Resource } from './resources.ts';

/** Runs the chosen operation on every item. Results are in the order of the items, each paired with its item. */
export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  return start(context).then(
    ({ run, operation }) => runItems(run, operation),
    (error: unknown) => failItems(context, error),
  );
}

/** Reads the operation, which is the same for all items, and sets up its run. */
async function start(context: IExecuteFunctions): Promise<{ run: Run; operation: Operation }> {
  const parameters = Parameters.ofItem(context, 0);
  const resource = parameters.oneOf(resourceProperty);
  const { operations, operationProperty } = RESOURCES[resource] as Resource;
  const name = parameters.oneOf(operationProperty);
  const run = await startRun(context, `${resource}.${name}`);
  return { run, operation: operations[name] as Operation };
}

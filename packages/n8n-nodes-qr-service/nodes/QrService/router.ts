import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Parameters } from '../platform/parameters.ts';
import type { Operation } from './common/operation.ts';
import { failItems, runItems } from './common/runItems.ts';
import { startRun } from './common/startRun.ts';
import { resourceProperty, RESOURCES, type Resource } from './resources.ts';

/** Runs the chosen operation on every item. Results are in the order of the items, each paired with its item. */
export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  return start(context).then(
    ({ run, operation }) => runItems(run, operation),
    (error: unknown) => failItems(context, error),
  );
}

async function start(context: IExecuteFunctions) {
  const { name, operation } = readOperation(context);
  return { run: await startRun(context, name), operation };
}

/** The operation, which is the same for all items. */
function readOperation(context: IExecuteFunctions): { name: string; operation: Operation } {
  const parameters = Parameters.ofItem(context, 0);
  const resource = parameters.oneOf(resourceProperty);
  const { operations, operationProperty } = RESOURCES[resource] as Resource;
  const operation = parameters.oneOf(operationProperty);
  return { name: `${resource}.${operation}`, operation: operations[operation] as Operation };
}

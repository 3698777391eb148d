import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { Parameters } from '../platform/parameters.ts';
import { toNodeError } from '../platform/errors.ts';
import { resourceProperty } from './common/descriptions.ts';
import { endsRetriableRun, isAgentRun, withAdviceInMessage } from './common/agent.ts';
import { errorItem, wordsFor } from './common/rowErrors.ts';
import { sumUp } from './common/hints.ts';
import { runItems, startRun, type Operation } from './common/run.ts';
import * as account from './operations/account.ts';
import * as create from './operations/create.ts';
import * as find from './operations/find.ts';
import * as get from './operations/get.ts';
import * as getAll from './operations/getAll.ts';
import { qrCodeOperation } from './operations/qrCode.ts';
import * as publish from './operations/publish.ts';
import * as render from './operations/render.ts';
import * as retarget from './operations/retarget.ts';
import * as upsert from './operations/upsert.ts';
import * as scans from './operations/scans.ts';

/** The Operation parameter of each resource, and what each operation does. */
const RESOURCES: Record<
  string,
  { operationProperty: INodeProperties; operations: Record<string, Operation> }
> = {
  account: { operationProperty: account.accountOperation, operations: { get: account.execute } },
  qrCode: {
    operationProperty: qrCodeOperation,
    operations: {
      create: create.execute,
      find: find.execute,
      get: get.execute,
      getAll: getAll.execute,
      publish: publish.execute,
      render: render.execute,
      retarget: retarget.execute,
      upsert: upsert.execute,
    },
  },
  scan: { operationProperty: scans.scanOperation, operations: { getAll: scans.execute } },
};

/** Runs the chosen operation on every item. Results are in the order of the items, each paired with its item. */
export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const [name, execute] = readOperation(context);
  return startRun(context, name).then(
    (run) => runItems(run, name, execute),
    (error: unknown) => failItems(context, name, error),
  );
}

/** For an invalid credential: fails every item. If the node itself failed, n8n would pass the items on as successful ones. */
function failItems(context: IExecuteFunctions, operation: string, cause: unknown): INodeExecutionData[] {
  const error = toNodeError(
    context.getNode(),
    cause,
    undefined,
    wordsFor(operation, endsRetriableRun(context)),
  );
  if (!context.continueOnFail()) throw isAgentRun(context) ? withAdviceInMessage(error) : error;
  const { length } = context.getInputData();
  sumUp(context, { items: length, failed: length, notSent: 0 });
  return Array.from({ length }, (_, itemIndex) => errorItem(error, itemIndex));
}

/** The operation, which is the same for all items. An invalid one fails every item. */
function readOperation(context: IExecuteFunctions): [name: string, execute: Operation] {
  try {
    const parameters = Parameters.ofItem(context, 0);
    const resource = parameters.oneOf(resourceProperty);
    const { operationProperty, operations } = RESOURCES[resource] as (typeof RESOURCES)[string];
    const operation = parameters.oneOf(operationProperty);
    return [`${resource}.${operation}`, operations[operation] as Operation];
  } catch (error) {
    const fail = () => Promise.reject(toNodeError(context.getNode(), error));
    return ['', () => fail];
  }
}

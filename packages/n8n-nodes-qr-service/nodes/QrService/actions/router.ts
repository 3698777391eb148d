import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { Parameters } from '../../shared/parameters.ts';
import { toNodeError } from '../../shared/errors.ts';
import { concurrencyOption, optionsProperty } from '../descriptions/options.ts';
import { resourceProperty } from '../descriptions/resource.ts';
import { endsRun, isAgentRun, withAdviceInMessage } from '../helpers/agentRun.ts';
import { errorItem, wordsFor } from '../rowErrors.ts';
import { sumUp } from '../helpers/executionHints.ts';
import type { Operation } from '../run/Run.ts';
import { runItems, type Plan } from '../run/runItems.ts';
import { startRun } from '../run/startRun.ts';
import * as getAccount from './account/get.operation.ts';
import { accountOperation } from './account/index.ts';
import * as createQrCode from './qrCode/create.operation.ts';
import * as findQrCodes from './qrCode/find.operation.ts';
import * as getQrCode from './qrCode/get.operation.ts';
import * as getAllQrCodes from './qrCode/getAll.operation.ts';
import { qrCodeOperation } from './qrCode/index.ts';
import * as publishQrCode from './qrCode/publish.operation.ts';
import * as renderQrCode from './qrCode/render.operation.ts';
import * as retargetQrCode from './qrCode/retarget.operation.ts';
import * as upsertQrCode from './qrCode/upsert.operation.ts';
import * as getAllScans from './scan/getAll.operation.ts';
import { scanOperation } from './scan/index.ts';

/** The Operation parameter of each resource, and what each operation does. */
const RESOURCES: Record<
  string,
  { operationProperty: INodeProperties; operations: Record<string, Operation> }
> = {
  account: { operationProperty: accountOperation, operations: { get: getAccount.execute } },
  qrCode: {
    operationProperty: qrCodeOperation,
    operations: {
      create: createQrCode.execute,
      find: findQrCodes.execute,
      get: getQrCode.execute,
      getAll: getAllQrCodes.execute,
      publish: publishQrCode.execute,
      render: renderQrCode.execute,
      retarget: retargetQrCode.execute,
      upsert: upsertQrCode.execute,
    },
  },
  scan: { operationProperty: scanOperation, operations: { getAll: getAllScans.execute } },
};

/** Runs the chosen operation on every item. Results are in the order of the items, each paired with its item. */
export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const plan = readPlan(context);
  return startRun(context, plan.name).then(
    (run) => runItems(run, plan),
    (error: unknown) => failItems(context, plan.name, error),
  );
}

/** For an invalid credential: fails every item. If the node itself failed, n8n would pass the items on as successful ones. */
function failItems(context: IExecuteFunctions, operation: string, cause: unknown): INodeExecutionData[] {
  const error = toNodeError(context.getNode(), cause, undefined, wordsFor(operation, endsRun(context)));
  if (!context.continueOnFail()) throw isAgentRun(context) ? withAdviceInMessage(error) : error;
  const { length } = context.getInputData();
  sumUp(context, { items: length, counts: new Map(), failed: length, notSent: 0, unpublished: [] });
  return Array.from({ length }, (_, itemIndex) => errorItem(error, itemIndex));
}

/** The operation and the concurrency, which are the same for all items. An invalid setting fails every item, too. */
function readPlan(context: IExecuteFunctions): Plan {
  try {
    const parameters = Parameters.ofItem(context, 0);
    const resource = parameters.oneOf(resourceProperty);
    const { operationProperty, operations } = RESOURCES[resource] as (typeof RESOURCES)[string];
    const operation = parameters.oneOf(operationProperty);
    const execute = operations[operation] as Operation;
    // Clamped, as it only affects the speed.
    const concurrency = parameters.in(optionsProperty()).wholeNumber(concurrencyOption, 'clamp');
    return { name: `${resource}.${operation}`, execute, concurrency };
  } catch (error) {
    const fail = () => Promise.reject(toNodeError(context.getNode(), error));
    return { name: '', execute: () => fail, concurrency: 1 };
  }
}

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../../shared/toNodeError.ts';
import { readConcurrency } from '../helpers/concurrency.ts';
import { adviseAnotherKey } from '../helpers/adviseAnotherKey.ts';
import { errorItem } from '../helpers/errorItem.ts';
import { mapInOrder } from '../helpers/mapInOrder.ts';
import { Outage } from '../helpers/Outage.ts';
import * as getAccount from './account/get.operation.ts';
import * as createQrCode from './qrCode/create.operation.ts';
import * as getQrCode from './qrCode/get.operation.ts';
import * as getAllQrCodes from './qrCode/getAll.operation.ts';
import * as publishQrCode from './qrCode/publish.operation.ts';
import * as renderQrCode from './qrCode/render.operation.ts';
import * as retargetQrCode from './qrCode/retarget.operation.ts';
import type { Operation } from './Run.ts';
import * as getAllScans from './scan/getAll.operation.ts';
import { startRun } from './startRun.ts';

const OPERATIONS: Record<string, Operation> = {
  'account.get': getAccount.execute,
  'qrCode.create': createQrCode.execute,
  'qrCode.get': getQrCode.execute,
  'qrCode.getAll': getAllQrCodes.execute,
  'qrCode.publish': publishQrCode.execute,
  'qrCode.render': renderQrCode.execute,
  'qrCode.retarget': retargetQrCode.execute,
  'scan.getAll': getAllScans.execute,
};

/** Runs the chosen operation on every item; results come in the items' order, each paired with its item. */
export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
  const resource = context.getNodeParameter('resource', 0);
  const name = `${resource}.${context.getNodeParameter('operation', 0)}`;
  const execute = OPERATIONS[name];
  if (execute === undefined)
    throw toNodeError(context.getNode(), new Error(`There is no operation ${name}.`));

  const items = context.getInputData();
  const run = await startRun(context, name).catch((error: unknown) => {
    throw toNodeError(context.getNode(), error);
  });
  const outage = new Outage(run.client);
  const goesOn = () => context.continueOnFail() && context.getExecutionCancelSignal()?.aborted !== true;
  const results = await mapInOrder(items.length, readConcurrency(context), async (itemIndex) => {
    try {
      const outputs = await outage.watch(() => execute(run, itemIndex));
      for (const output of outputs) output.pairedItem ??= { item: itemIndex };
      return outputs;
    } catch (error) {
      const nodeError = toNodeError(context.getNode(), error, itemIndex);
      if (run.hasDeduplicationKey(itemIndex)) adviseAnotherKey(nodeError);
      if (!goesOn()) throw nodeError;
      return [errorItem(nodeError, itemIndex)];
    }
  });
  return results.flat();
}

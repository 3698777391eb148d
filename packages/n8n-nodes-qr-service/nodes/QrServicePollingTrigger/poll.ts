import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { createClient } from '../shared/createClient.ts';
import { isWanted, pollChanges, type Kept } from './pollChanges.ts';
import type { BatchSize } from './readBatch.ts';
import { recentRows } from './recentRows.ts';
import { readSettings } from './settings.ts';
import { SOURCES, type Watch } from './sources.ts';

/** The most that one execution is to work on, and the most that one poll is to spend on what is known already. */
const BATCH: BatchSize = { fresh: 1000, read: 10_000 };

/** Workflows and nodes with a tick under way: n8n begins the next one even when it takes longer than the interval. */
const underWay = new Set<string>();

/** One tick: what is new since the last one, or null. A tick that overlaps another one finds nothing. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const place = `${context.getMode()}/${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
  if (underWay.has(place)) return null;
  underWay.add(place);
  try {
    return await pollOnce(context);
  } finally {
    underWay.delete(place);
  }
}

async function pollOnce(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { watch, wanted } = readSettings(context);
  const read = SOURCES[watch](await createClient(context));
  if (context.getMode() === 'manual')
    return toOutput(context, await recentRows(read, (sighting) => isWanted(sighting, wanted)));

  const keptByWatch = context.getWorkflowStaticData('node') as Partial<Record<Watch, IDataObject & Kept>>;
  const { kept, rows, failure } = await pollChanges(read, keptByWatch[watch], wanted, BATCH);
  // n8n keeps this in memory even when an error follows, and saves it with the rows of an execution. What is
  // thrown away with a restart has therefore brought no rows, and is read again.
  keptByWatch[watch] = { ...kept };
  // The failed page comes first at the next tick; should it fail again, there is nothing to emit before it.
  if (failure !== undefined && rows.length === 0) throw failure as Error;
  return toOutput(context, rows);
}

function toOutput(context: IPollFunctions, rows: Record<string, unknown>[]): INodeExecutionData[][] | null {
  return rows.length === 0 ? null : [context.helpers.returnJsonArray(rows as IDataObject[])];
}

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sentence, TransportError, unconfirmedCreation } from '../../../deps.ts';
import { toNodeError, type NodeError } from '../../platform/errors.ts';
import { Parameters } from '../../platform/parameters.ts';
import { endsRetriableRun, endsRun, isAgentRun } from './agent.ts';
import { sumUp } from './hints.ts';
import { ITEMS_PER_TURN, mapInOrder, nextTurn } from './mapInOrder.ts';
import type { ItemResult, Operation, Work } from './operation.ts';
import { checkedWords, errorItem, progressWords, wordsFor } from './rowErrors.ts';
import type { Run } from './startRun.ts';

/** How many items are processed at once: n8n opens a connection for each request, so this speeds up many rows. */
const CONCURRENCY = 10;

/** Checks all items, then does their work. An invalid one ends a run before anything is sent, as a rerun would repeat it. */
export async function runItems(run: Run, operation: Operation): Promise<INodeExecutionData[]> {
  const { context, outage } = run;
  const items = context.getInputData().length;
  const { works, invalid } = await checkItems(run, operation);
  const [firstInvalid] = invalid;
  if (firstInvalid !== undefined && !context.continueOnFail()) {
    const [itemIndex, error] = firstInvalid;
    throw endingError(context, toItemError(run, error, itemIndex), checkedWords(items, invalid));
  }

  const done = new Map<number, ItemResult>();
  const failures: unknown[] = [];
  const runItem = async (itemIndex: number): Promise<INodeExecutionData[]> => {
    try {
      const work = works.get(itemIndex);
      if (work === undefined) throw invalid.get(itemIndex) as Error;
      outage.throwIfDown();
      const result = await work();
      outage.note();
      done.set(itemIndex, result);
      return result.outputs.map((output) => ({ ...output, pairedItem: { item: itemIndex } }));
    } catch (error) {
      outage.note(error);
      failures.push(error);
      const nodeError = toItemError(run, error, itemIndex);
      if (context.continueOnFail() && !isCanceled(context)) return [errorItem(context, nodeError, itemIndex)];
      throw nodeError;
    }
  };
  const outputs = await mapInOrder(items, CONCURRENCY, runItem).catch((thrown: unknown) => {
    const error = thrown as NodeError;
    // n8n drops the outputs of a stopped node, with those that failed before.
    if (isCanceled(context)) for (const failure of failures) logDraft(context, failure);
    throw endingError(context, error, progressOf(run, done, error, { items, failed: failures.length }));
  });
  sumUp(context, [...done.values()], { items, failed: failures.length, notSent: outage.notSent() });
  return outputs.flat();
}

/** Fails every item of a run that can't start. If the node itself failed, n8n would pass the items on as successful ones. */
export function failItems(context: IExecuteFunctions, cause: unknown): INodeExecutionData[] {
  const error = toNodeError(context.getNode(), cause);
  if (!context.continueOnFail()) throw endingError(context, error);
  const items = context.getInputData();
  sumUp(context, [], { items: items.length, failed: items.length, notSent: 0 });
  return items.map((_item, itemIndex) => errorItem(context, error, itemIndex));
}

/** The work of each valid item, and why the others are invalid, by the item's index. */
async function checkItems(run: Run, operation: Operation) {
  const { context } = run;
  const { check, conflicts } = operation.start(run);
  const works = new Map<number, Work>();
  const invalid = new Map<number, Error>();
  for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
    if (itemIndex % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await nextTurn();
    try {
      works.set(itemIndex, check(Parameters.ofItem(context, itemIndex), itemIndex));
    } catch (error) {
      invalid.set(itemIndex, error as Error);
    }
  }
  for (const [itemIndex, error] of conflicts?.() ?? []) {
    invalid.set(itemIndex, error);
    works.delete(itemIndex);
  }
  return { works, invalid };
}

function toItemError({ context, operationName, keys }: Run, error: unknown, itemIndex: number): NodeError {
  const hasDeduplicationKey = keys.isFromUser(itemIndex);
  const words = { ...wordsFor(operationName, endsRetriableRun(context)), hasDeduplicationKey };
  const reason = isCanceled(context) ? new TransportError('It was canceled.', { code: 'aborted' }) : error;
  return toNodeError(context.getNode(), reason, itemIndex, words);
}

/** The error that ends a run, with facts about its items as whole sentences. */
function endingError(context: IExecuteFunctions, error: NodeError, facts = ''): NodeError {
  if (facts !== '') error.description = `${sentence(error.description ?? '')} ${facts}`.trim();
  if (!isAgentRun(context)) return error;
  // Its model receives only the message.
  error.message = `${sentence(error.message)} ${error.description ?? ''}`.trim();
  error.description = null;
  return error;
}

/** What was done before an item ended the run; empty if nothing was, or if nobody retries the run. */
function progressOf(
  { context, operationName, keys }: Run,
  done: ReadonlyMap<number, ItemResult>,
  { cause, context: { itemIndex } }: NodeError,
  counts: { items: number; failed: number },
): string {
  if (!endsRun(context) || isCanceled(context) || done.size === 0) return '';
  const hasCreated = [...done.values()].some(({ outcome }) => outcome === 'created');
  return progressWords(operationName, cause, {
    ...counts,
    itemIndex: itemIndex as number,
    done: done.size,
    isKeyed: !hasCreated || [...done.keys()].every(keys.isFromUser),
    isRetriable: endsRetriableRun(context),
  });
}

function isCanceled(context: IExecuteFunctions): boolean {
  return context.getExecutionCancelSignal()?.aborted === true;
}

/** Of a canceled run, n8n shows no error: its log names the code that isn't finished, or that may have been created. */
function logDraft(context: IExecuteFunctions, error: unknown): void {
  const isDraft = (error as Partial<NodeError>).context?.['qrCode'] !== undefined;
  const draft = isDraft ? (error as NodeError).message : unconfirmedCreation(error);
  if (draft !== '') context.logger.warn(`An execution was stopped. ${draft}`);
}

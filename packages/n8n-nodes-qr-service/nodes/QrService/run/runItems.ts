import { sleep, type INodeExecutionData, type NodeApiError, type NodeOperationError } from 'n8n-workflow';
import { conflictingRows, sentence } from '../../../core.ts';
import { toNodeError } from '../../shared/errors.ts';
import { adviseAgent, endsRun, withAdviceInMessage } from '../helpers/agentRun.ts';
import { checkedWords, errorItem, progressWords, wordsFor } from '../rowErrors.ts';
import { outcomeOf, sumUp } from '../helpers/executionHints.ts';
import { mapInOrder } from '../helpers/mapInOrder.ts';
import type { Operation, Run } from './Run.ts';

type NodeError = NodeApiError | NodeOperationError;

/** How many items are checked before n8n gets a turn. */
const CHECKED_AT_ONCE = 200;

/** What a run does. */
export interface Plan {
  /** The resource and the operation. */
  name: string;
  execute: Operation;
  concurrency: number;
}

/**
 * Checks all items, then runs the operation on each. If failed items end the run, an invalid one ends it before anything is
 * sent: running it again would otherwise repeat what the items before it did.
 */
export async function runItems(
  run: Run,
  { name, execute, concurrency }: Plan,
): Promise<INodeExecutionData[]> {
  const { context, circuitBreaker } = run;
  const items = context.getInputData().length;
  const isCanceled = () => context.getExecutionCancelSignal()?.aborted === true;

  const asNodeError = (error: unknown, itemIndex: number): NodeError => {
    const hasDeduplicationKey = run.hasDeduplicationKey(itemIndex);
    const words = { ...wordsFor(name, endsRun(context)), hasDeduplicationKey };
    const nodeError = toNodeError(context.getNode(), error, itemIndex, words);
    if (run.isAgentRun) adviseAgent(nodeError);
    return nodeError;
  };
  const stop = (nodeError: NodeError, fact = ''): never => {
    if (fact !== '') nodeError.description = `${sentence(nodeError.description ?? '')} ${fact}`.trim();
    throw run.isAgentRun ? withAdviceInMessage(nodeError) : nodeError;
  };

  const invalid = new Map<number, unknown>();
  const works: (() => Promise<INodeExecutionData[]>)[] = [];
  for (let itemIndex = 0; itemIndex < items; itemIndex++) {
    // Expressions of thousands of items take seconds, in which n8n has other work.
    if (itemIndex % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await sleep(0);
    try {
      const work = execute(run, itemIndex);
      works.push(() => circuitBreaker.run(work));
    } catch (error) {
      invalid.set(itemIndex, error);
      const reason = error as Error;
      works.push(() => Promise.reject(reason));
    }
  }
  for (const [itemIndex, error] of conflictingRows(run.upsertRows, (index) => `item ${index}`)) {
    invalid.set(itemIndex, error);
    works[itemIndex] = () => Promise.reject(error);
  }
  const [first] = invalid;
  if (first !== undefined && !context.continueOnFail()) {
    const [itemIndex, error] = first;
    stop(asNodeError(error, itemIndex), checkedWords(items, invalid.size));
  }

  const done: number[] = [];
  const counts = new Map<string, number>();
  let failed = 0;
  const results = await mapInOrder(items, concurrency, async (itemIndex) => {
    try {
      const outputs = (await works[itemIndex]?.()) ?? [];
      for (const output of outputs) output.pairedItem ??= { item: itemIndex };
      done.push(itemIndex);
      const outcome = outcomeOf(name, outputs);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      return outputs;
    } catch (error) {
      failed += 1;
      const nodeError = asNodeError(error, itemIndex);
      if (!context.continueOnFail() || isCanceled()) throw nodeError;
      return [errorItem(nodeError, itemIndex)];
    }
  }).catch((error: unknown) => {
    const isTold = endsRun(context) && !isCanceled() && done.length > 0;
    const isKeyed = done.every((itemIndex) => run.hasDeduplicationKey(itemIndex));
    const progress = { done: done.length, failed, items, isKeyed };
    const nodeError = error as NodeError;
    return stop(nodeError, isTold ? progressWords(name, nodeError.cause, progress) : '');
  });
  const unpublished = [...run.unpublished.values()];
  sumUp(context, { items, counts, failed, notSent: circuitBreaker.notSent, unpublished });
  return results.flat();
}

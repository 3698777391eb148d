import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';
import { idempotencyKeyFrom } from '../../../deps.ts';
import { isSubNodeRun } from './agent.ts';

/**
 * Makes the Idempotency-Key of each item's write. It stays the same if n8n runs the node again (Retry On Fail, or
 * a retry from the list of executions, even if n8n crashed in the first one). It differs for any other item, run,
 * operation or payload. A retried agent starts a new conversation, whose calls are new ones.
 *
 * An item with the user's deduplication key has the same one in every execution of the workflow. The payload is
 * part of it: different rows are different codes, even with the same key.
 */
export function idempotencyKeys(context: IExecuteFunctions, operationName: string) {
  const data = context.getWorkflowDataProxy(0);
  const memory = context.getContext('node');
  const node = context.getNode();
  memory['idempotencySeed'] ??= seedOfExecution(data, node.name) ?? randomUUID();
  const seed = memory['idempotencySeed'] as string;
  const run = toolCallId(context) ?? (data.$runIndex as number);
  const scope = [context.getWorkflow().id, node.id];
  const itemsWithOwnKey = new Set<number>();
  return {
    /** Makes the key of each payload of an item, from the user's deduplication key if there is one. */
    ofItem(itemIndex: number, deduplicationKey: string | undefined): (payload: unknown) => string {
      if (deduplicationKey !== undefined) itemsWithOwnKey.add(itemIndex);
      const base = deduplicationKey === undefined ? [seed, run, itemIndex] : [...scope, deduplicationKey];
      return (payload) => idempotencyKeyFrom([...base, operationName, payload]);
    },
    /** Whether an item has a deduplication key. */
    isFromUser: (itemIndex: number) => itemsWithOwnKey.has(itemIndex),
  };
}

const toolCalls = new WeakMap<object, string>();

/**
 * Identifies a call of a tool that runs inside another node. There, each try of Retry On Fail has its own run index, and
 * concurrent calls can share one. But all tries have the same arguments object, and no other call has it.
 */
function toolCallId(context: IExecuteFunctions): string | undefined {
  const callArguments = isSubNodeRun(context) ? context.getInputData()[0]?.json : undefined;
  if (callArguments === undefined) return undefined;
  const id = toolCalls.get(callArguments) ?? randomUUID();
  toolCalls.set(callArguments, id);
  return id;
}

/**
 * A seed that survives a crash, if this n8n has it: the token with which an execution can be resumed is saved before it
 * starts, is new for each execution and stays the same in a retry. It is a secret, so only its hash is used.
 */
function seedOfExecution({ $execution }: IWorkflowDataProxyData, nodeName: string): string | undefined {
  const { resumeUrl } = $execution as { resumeUrl?: string };
  const token =
    resumeUrl && URL.canParse(resumeUrl) ? new URL(resumeUrl).searchParams.get('signature') : null;
  return token === null ? undefined : idempotencyKeyFrom([token, nodeName]);
}

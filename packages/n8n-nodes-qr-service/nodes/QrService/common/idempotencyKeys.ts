import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';
import { idempotencyKeyFrom } from '../../../deps.ts';

/**
 * Makes the Idempotency-Key of each item's write: the same if n8n runs the node again, even after a crash, and another one for
 * any other item, run, operation or payload. The user's deduplication key makes it the same in every execution.
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
 * Identifies the call of a tool that runs inside another node, such as a sub-agent, an older agent or an MCP server: tries have
 * their own run index, but only they share the arguments object.
 */
function toolCallId(context: IExecuteFunctions): string | undefined {
  const callArguments = context.isToolExecution() ? context.getInputData()[0]?.json : undefined;
  if (callArguments === undefined) return undefined;
  const id = toolCalls.get(callArguments) ?? randomUUID();
  toolCalls.set(callArguments, id);
  return id;
}

/** A seed that survives a crash, and a retry keeps: the token that resumes an execution. It is a secret, so it is hashed. */
function seedOfExecution({ $execution }: IWorkflowDataProxyData, nodeName: string): string | undefined {
  const { resumeUrl } = $execution as { resumeUrl?: string };
  const token =
    resumeUrl && URL.canParse(resumeUrl) ? new URL(resumeUrl).searchParams.get('signature') : null;
  return token === null ? undefined : idempotencyKeyFrom([token, nodeName]);
}

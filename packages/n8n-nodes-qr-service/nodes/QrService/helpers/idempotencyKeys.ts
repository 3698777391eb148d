import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';
import { idempotencyKeyFrom } from '../../../core.ts';
import { Parameters } from '../../shared/parameters.ts';
import { deduplicationKeyOption, optionsProperty } from '../descriptions/options.ts';

/** Makes an item's Idempotency-Keys. */
export interface IdempotencyKeys {
  keyFor: (itemIndex: number, payload: unknown) => string;
  /** Whether a key of the item was made from a deduplication key of the user's. */
  isOwn: (itemIndex: number) => boolean;
}

/**
 * Makes the Idempotency-Key of each item's write. It is the same when n8n runs the node again (Retry On
 * Fail, or a retry from the list of executions, of one that n8n died in, too); it differs for every other
 * item, run, operation and payload.
 *
 * An item with a deduplication key of the user's has the same one in every execution of the workflow. The
 * payload is part of it: rows that differ are different codes, whatever their keys.
 */
export function idempotencyKeys(context: IExecuteFunctions, operation: string): IdempotencyKeys {
  const data = context.getWorkflowDataProxy(0);
  const memory = context.getContext('node');
  const node = context.getNode();
  memory['idempotencySeed'] ??= seedOfExecution(data, node.name) ?? randomUUID();
  const seed = memory['idempotencySeed'] as string;
  const runIndex: unknown = data.$runIndex;
  const place = [context.getWorkflow().id, node.id];
  const owners = new Set<number>();
  const keyFor = (itemIndex: number, payload: unknown) => {
    const own = Parameters.ofItem(context, itemIndex).in(optionsProperty()).key(deduplicationKeyOption);
    if (own === undefined) return idempotencyKeyFrom([seed, runIndex, itemIndex, operation, payload]);
    owners.add(itemIndex);
    return idempotencyKeyFrom([...place, own, operation, payload]);
  };
  return { keyFor, isOwn: (itemIndex) => owners.has(itemIndex) };
}

/**
 * A seed that needs no keeping: n8n saves what a node keeps in its context only with the run's data, so it is
 * lost with a process that dies. The token by which an execution can be resumed is saved before it begins,
 * is new for each execution and stays the same in a retry. It is a secret, and only its hash is used.
 * @returns undefined where this n8n has no such token
 */
function seedOfExecution({ $execution }: IWorkflowDataProxyData, nodeName: string): string | undefined {
  const { resumeUrl } = $execution as { resumeUrl?: string };
  const token =
    resumeUrl && URL.canParse(resumeUrl) ? new URL(resumeUrl).searchParams.get('signature') : null;
  return token === null ? undefined : idempotencyKeyFrom([token, nodeName]);
}

import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { idempotencyKeyFrom } from '../../../core.ts';

/**
 * Makes the Idempotency-Key of each item's write. It is the same when n8n runs the node again (Retry On
 * Fail, or a retry from the list of executions), because the node's context outlives both; it differs for
 * every other item, run, operation and payload.
 */
export function idempotencyKeys(
  context: IExecuteFunctions,
  operation: string,
): (itemIndex: number, payload: unknown) => string {
  const memory = context.getContext('node');
  memory['idempotencySeed'] ??= randomUUID();
  const seed = memory['idempotencySeed'] as string;
  const runIndex: unknown = context.getWorkflowDataProxy(0).$runIndex;
  return (itemIndex, payload) => idempotencyKeyFrom([seed, runIndex, itemIndex, operation, payload]);
}

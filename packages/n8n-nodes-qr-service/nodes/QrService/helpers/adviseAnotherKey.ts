import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isRefusal, REFUSED_KEY_ADVICE } from '../../../core.ts';

/**
 * Adds to a refused write under a deduplication key of the user's what helps where the service only repeats the refusal.
 * A code that was created but not published is left alone: another key would create a second one.
 */
export function adviseAnotherKey(nodeError: NodeApiError | NodeOperationError): void {
  const { cause, context } = nodeError;
  if (!isRefusal(cause) || cause.idempotencyKey === undefined || context['qrCode'] !== undefined) return;
  nodeError.description = `${nodeError.description ?? ''} ${REFUSED_KEY_ADVICE}`.trim();
}

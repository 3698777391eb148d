import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isRefusal, REFUSED_KEY_ADVICE, sentence } from '../../../core.ts';

/**
 * Advises another deduplication key for a write that was rejected under the user's own, in case the service only
 * replays the rejection. Not for a code that was created but not published: another key would create a duplicate.
 */
export function adviseAnotherKey(nodeError: NodeApiError | NodeOperationError): void {
  const { cause, context } = nodeError;
  if (!isRefusal(cause) || cause.idempotencyKey === undefined || context['qrCode'] !== undefined) return;
  nodeError.description = `${sentence(nodeError.description ?? '')} ${REFUSED_KEY_ADVICE}`.trim();
}

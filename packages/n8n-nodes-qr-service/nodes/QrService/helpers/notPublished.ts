import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isTransportError, type QrCode } from '../../../core.ts';
import { toNodeError } from '../../shared/toNodeError.ts';

/**
 * The error of a code that was created but could not be published. It holds the code, so that nobody has to
 * make a second one.
 */
export function notPublished(
  node: INode,
  created: QrCode,
  error: unknown,
): NodeApiError | NodeOperationError {
  const nodeError = toNodeError(node, error);
  if (isTransportError(error) && error.kind === 'aborted') return nodeError;
  nodeError.message = `The QR code ${created.id} was created but not published. ${nodeError.message}`;
  nodeError.description =
    `${nodeError.description ?? ''} Then publish it by its ID with the operation Publish, or retry this execution: a retry makes no second code, a new execution does unless the node has a Deduplication Key.`.trim();
  nodeError.context['qrCode'] = created;
  return nodeError;
}

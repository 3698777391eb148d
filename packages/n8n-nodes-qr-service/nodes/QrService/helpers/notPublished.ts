import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { NotPublishedError } from '../../../core.ts';
import { toNodeError } from '../../shared/toNodeError.ts';

/**
 * The failed publication of a code that was created, as n8n shows it. It holds the code, so that nobody has to create a
 * duplicate.
 */
export function notPublished(node: INode, error: NotPublishedError): NodeApiError | NodeOperationError {
  const nodeError = toNodeError(node, error.cause);
  nodeError.message = error.message;
  nodeError.description =
    `${nodeError.description ?? ''} Then publish it by its ID with the operation Publish, or retry this execution: a retry won't create a duplicate. A new execution would, unless the node has a Deduplication Key.`.trim();
  nodeError.context['qrCode'] = error.qrCode;
  return nodeError;
}

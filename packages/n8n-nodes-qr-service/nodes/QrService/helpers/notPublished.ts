import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { describeNotPublished, type NotPublishedError } from '../../../core.ts';
import { NOT_PUBLISHED_WORDS } from '../../shared/errorWords.ts';
import { setText, toNodeError } from '../../shared/toNodeError.ts';

/**
 * The failed publication of a code that was created, as n8n shows it. It holds the code, so that nobody has to create a
 * duplicate.
 */
export function notPublished(node: INode, error: NotPublishedError): NodeApiError | NodeOperationError {
  const nodeError = toNodeError(node, error.cause);
  setText(nodeError, describeNotPublished(error, NOT_PUBLISHED_WORDS));
  nodeError.context['qrCode'] = error.qrCode;
  return nodeError;
}

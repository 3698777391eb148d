import type { IExecuteFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { describeNotPublished, type NotPublishedError } from '../../../core.ts';
import { notPublishedWords } from '../../shared/errorWords.ts';
import { setText, toNodeError } from '../../shared/toNodeError.ts';
import { endsRun } from './agentRun.ts';

/**
 * The failed publication of a code that was created, as n8n shows it. It contains the code, so that nobody needs to create
 * a duplicate.
 * @param isFoundAgain whether the same item finds the code in the next run
 */
export function notPublished(
  context: IExecuteFunctions,
  error: NotPublishedError,
  isFoundAgain = false,
): NodeApiError | NodeOperationError {
  const nodeError = toNodeError(context.getNode(), error.cause);
  setText(nodeError, describeNotPublished(error, notPublishedWords(endsRun(context), isFoundAgain)));
  nodeError.context['qrCode'] = error.qrCode;
  return nodeError;
}

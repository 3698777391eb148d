import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { describeError, isApiError, isTransportError } from '../../core.ts';

/**
 * Turns any thrown value into the error that n8n shows: what happened, to which item, and what to do next. The core's
 * description replaces n8n's own, which blames the credentials for a 403.
 */
export function toNodeError(
  node: INode,
  error: unknown,
  itemIndex?: number,
): NodeApiError | NodeOperationError {
  const nodeError = asNodeError(node, error);
  if (itemIndex === undefined) return nodeError;
  const suffix = ` [item ${itemIndex}]`;
  nodeError.context['itemIndex'] = itemIndex;
  if (!nodeError.message.endsWith(suffix)) nodeError.message += suffix;
  return nodeError;
}

/** n8n recognises a cancelled execution by this spelling in the error's message. */
function describe(error: unknown): ReturnType<typeof describeError> {
  if (isTransportError(error) && error.kind === 'aborted')
    return { message: 'The execution was canceled.', description: '' };
  return describeError(error);
}

function asNodeError(node: INode, error: unknown): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  const { message, description } = describe(error);
  const nodeError = isApiError(error)
    ? new NodeApiError(node, error as unknown as JsonObject, { message, httpCode: String(error.status) })
    : new NodeOperationError(node, error instanceof Error ? error : message);
  // Set afterwards: the constructors replace some messages with their own.
  nodeError.message = message;
  if (description !== '') nodeError.description = description;
  return nodeError;
}

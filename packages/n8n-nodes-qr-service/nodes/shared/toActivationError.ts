import type { INode } from 'n8n-workflow';
import { NodeApiError, type NodeOperationError } from 'n8n-workflow';
import { sentence } from '../../core.ts';
import { toNodeError } from './toNodeError.ts';

/**
 * Turns any thrown value into the error of an activation, a test of a trigger, a poll or a list to choose from. Its message
 * also says what to do, as n8n shows such errors without their description.
 */
export function toActivationError(node: INode, error: unknown): NodeApiError | NodeOperationError {
  const nodeError = toNodeError(node, error);
  const { message, description } = nodeError;
  if (typeof description !== 'string' || description === '' || message.includes(description))
    return nodeError;
  nodeError.message = `${sentence(message)} ${description}`;
  // For a test, n8n also shows this error's description under "Show Details", which would repeat the message.
  if (nodeError instanceof NodeApiError) nodeError.description = undefined;
  return nodeError;
}

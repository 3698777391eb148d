import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { isQrServiceError } from '../../../core.ts';

/**
 * Whether an AI agent called the node as a tool. n8n runs the tool of a recent agent like any node, under a type of its
 * own; tools of sub-agents, older agents and MCP servers have a context of their own, too.
 */
export function isAgentRun(context: IExecuteFunctions): boolean {
  return isSubNodeRun(context) || context.getNode().type.endsWith('Tool');
}

/** Whether the node runs inside another one, whose model receives its result: n8n drops files from it. */
export function isSubNodeRun(context: IExecuteFunctions): boolean {
  // Versions of n8n before 2 don't have this method.
  return (context as Partial<IExecuteFunctions>).isToolExecution?.() === true;
}

/** Something to tell the agent's model that isn't a record: n8n turns a result without items into an empty text. */
export function agentMessage(message: string, more: IDataObject = {}): INodeExecutionData {
  return { json: { message, ...more } };
}

/** An agent's model receives nothing of an error but its message, so what to do next becomes part of it. */
export function explainToAgent<NodeError extends NodeApiError | NodeOperationError>(
  error: NodeError,
): NodeError {
  const advice = [error.description ?? ''];
  if (isQrServiceError(error.cause) && error.cause.code === 'not_found')
    advice.push('Use the ID or the short link of a QR code, not its name.');
  error.message = [error.message, ...advice].filter((text) => text !== '').join(' ');
  error.description = null;
  return error;
}

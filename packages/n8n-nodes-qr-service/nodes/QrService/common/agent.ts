import type { IExecuteFunctions, INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isApiError, sentence } from '../../../core.ts';

/**
 * Whether an AI agent called the node as a tool. n8n runs the tool of a recent agent like any node, under a separate
 * type. Tools of sub-agents, older agents and MCP servers also have a separate context.
 */
export function isAgentRun(context: IExecuteFunctions): boolean {
  return isSubNodeRun(context) || context.getNode().type.endsWith('Tool');
}

/** Whether the node runs inside another one: as a tool of a sub-agent, an older agent or an MCP server. */
export function isSubNodeRun(context: IExecuteFunctions): boolean {
  // Older versions of n8n don't have this method.
  return (context as Partial<IExecuteFunctions>).isToolExecution?.() === true;
}

/** Whether a failed item makes the execution fail. An agent's run continues: its model receives the error. */
export function endsRun(context: IExecuteFunctions): boolean {
  return !context.continueOnFail() && !isAgentRun(context);
}

/** A message for the agent's model that isn't a record: n8n turns a result without items into an empty text. */
export function agentMessage(message: string): INodeExecutionData {
  return { json: { message } };
}

const NOT_A_NAME = 'Use the ID or the short link of a QR code, not its name.';

/** Advice that refers to the editor, which the model doesn't see. */
export function adviseAgent(error: NodeApiError | NodeOperationError): void {
  if (!isApiError(error.cause) || error.cause.code !== 'not_found') return;
  if (error.description?.includes(NOT_A_NAME) === true) return;
  error.description = `${sentence(error.description ?? '')} ${NOT_A_NAME}`.trim();
}

/** An agent's model receives only the message of an error, so the advice becomes part of the message. */
export function withAdviceInMessage<NodeError extends NodeApiError | NodeOperationError>(
  error: NodeError,
): NodeError {
  error.message = `${sentence(error.message)} ${error.description ?? ''}`.trim();
  error.description = null;
  return error;
}

import type { IExecuteFunctions } from 'n8n-workflow';
import { sentence } from '../../../deps.ts';
import type { NodeError } from '../../platform/errors.ts';

/** Whether an AI agent called the node as a tool: n8n runs the tool of a recent agent like any node, under a separate type. */
export function isAgentRun(context: IExecuteFunctions): boolean {
  return isSubNodeRun(context) || context.getNode().type.endsWith('Tool');
}

/** Whether the node runs inside another one: as a tool of a sub-agent, an older agent or an MCP server. */
export function isSubNodeRun(context: IExecuteFunctions): boolean {
  return context.isToolExecution();
}

/** Whether a failed item makes the execution fail. An agent's run continues: its model receives the error. */
export function endsRun(context: IExecuteFunctions): boolean {
  return !context.continueOnFail() && !isAgentRun(context);
}

/** The same, if a retry of the execution uses its keys again: a sub-workflow gets a new execution from its caller. */
export function endsRetriableRun(context: IExecuteFunctions): boolean {
  return endsRun(context) && context.getMode() !== 'integrated';
}

/** An agent's model receives only the message of an error, so the advice becomes part of the message. */
export function withAdviceInMessage(error: NodeError): NodeError {
  error.message = `${sentence(error.message)} ${error.description ?? ''}`.trim();
  error.description = null;
  return error;
}

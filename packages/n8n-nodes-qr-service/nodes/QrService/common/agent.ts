import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent called the node as a tool: n8n runs the tool of a recent agent like any node, under a separate type. */
export function isAgentRun(context: IExecuteFunctions): boolean {
  return context.isToolExecution() || context.getNode().type.endsWith('Tool');
}

/** Whether a failed item makes the execution fail. An agent's run continues: its model receives the error. */
export function endsRun(context: IExecuteFunctions): boolean {
  return !context.continueOnFail() && !isAgentRun(context);
}

/** The same, if a retry of the execution uses its keys again: a sub-workflow gets a new execution from its caller. */
export function endsRetriableRun(context: IExecuteFunctions): boolean {
  return endsRun(context) && context.getMode() !== 'integrated';
}

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** Names a trigger among all of this n8n. */
export function triggerName(context: IHookFunctions | IWebhookFunctions): string {
  return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

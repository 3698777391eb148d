import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** Identifies a trigger among all triggers of this n8n instance. */
export function triggerKey(context: IHookFunctions | IWebhookFunctions): string {
  return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

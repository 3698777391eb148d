import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { idempotencyKeyFrom, readBaseUrl, readConnection } from '../../core.ts';
import { CREDENTIAL_NAME } from '../shared/credentials.ts';

/** The owner of a subscription, as stored. An exported, copied or restored workflow may hold someone else's. */
export interface SubscriptionOwner {
  /** Webhook URL up to the node's own part: identifies the n8n instance. */
  address: string;
  /** Base URL of the API. */
  baseUrl: string;
  /** Distinguishes API keys without storing them. */
  keyPrint: string;
  workflowId: string;
  nodeId: string;
}

/** Hex digits of a key's fingerprint: enough to distinguish keys. */
const FINGERPRINT_LENGTH = 12;

/** The owner of the node's subscription as of now. */
export async function currentOwner(
  context: IHookFunctions | IWebhookFunctions,
  url: string,
): Promise<SubscriptionOwner> {
  const { baseUrl, apiKey } = readConnection(await context.getCredentials(CREDENTIAL_NAME));
  return {
    address: addressOf(url, context.getNode().webhookId),
    baseUrl: readBaseUrl(baseUrl),
    keyPrint: idempotencyKeyFrom(['key', apiKey]).slice(0, FINGERPRINT_LENGTH),
    workflowId: context.getWorkflow().id ?? '',
    nodeId: context.getNode().id,
  };
}

/** Several n8n instances may share an origin, each under its own path. */
function addressOf(url: string, webhookId: string | undefined): string {
  const end = webhookId === undefined ? -1 : url.indexOf(webhookId);
  if (end !== -1) return url.slice(0, end);
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Describes who else a subscription belongs to; undefined if it is the owner's. */
export function describeOtherOwner(stored: SubscriptionOwner, owner: SubscriptionOwner): string | undefined {
  if (stored.address !== owner.address) return `the n8n instance at ${stored.address}`;
  if (stored.workflowId !== owner.workflowId) return `the workflow with the ID ${stored.workflowId}`;
  if (stored.nodeId !== owner.nodeId) return 'another trigger of this workflow';
  if (stored.baseUrl !== owner.baseUrl) return `this workflow at the base URL ${stored.baseUrl}`;
  return undefined;
}

/** Whether everything matches, including the API key: a service stores idempotent responses per key. */
export function isSameOwner(stored: SubscriptionOwner, owner: SubscriptionOwner): boolean {
  return (Object.keys(owner) as (keyof SubscriptionOwner)[]).every((key) => stored[key] === owner[key]);
}

import type { IHookFunctions } from 'n8n-workflow';
import { idempotencyKeyFrom, readBaseUrl } from '../../core.ts';
import { CREDENTIAL_NAME, readCredential } from '../shared/credentials.ts';

/** Who a subscription belongs to. An exported, copied or restored workflow brings that of another along. */
export interface Owner {
  /** Webhook URL up to the node's own part: names the n8n. */
  address: string;
  /** Address of the API. */
  baseUrl: string;
  /** Tells API keys apart without holding one. */
  keyPrint: string;
  workflowId: string;
  nodeId: string;
}

/** Hex digits of a key's print: enough to tell two keys apart. */
const PRINT_DIGITS = 12;

/** Who the node's subscription belongs to now. */
export async function currentOwner(context: IHookFunctions, url: string): Promise<Owner> {
  const { baseUrl, apiKey } = readCredential(await context.getCredentials(CREDENTIAL_NAME));
  return {
    address: addressOf(url, context.getNode().webhookId),
    baseUrl: readBaseUrl(baseUrl),
    keyPrint: idempotencyKeyFrom(['key', apiKey]).slice(0, PRINT_DIGITS),
    workflowId: context.getWorkflow().id ?? '',
    nodeId: context.getNode().id,
  };
}

/** Several n8n may share an origin, each under a path of its own. */
function addressOf(url: string, webhookId: string | undefined): string {
  const end = webhookId === undefined ? -1 : url.indexOf(webhookId);
  if (end !== -1) return url.slice(0, end);
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Whose a subscription is instead, in words, or undefined if it is the owner's own. */
export function otherOwner(stored: Owner, owner: Owner): string | undefined {
  if (stored.address !== owner.address) return `the n8n at ${stored.address}`;
  if (stored.workflowId !== owner.workflowId) return `the workflow with the ID ${stored.workflowId}`;
  if (stored.nodeId !== owner.nodeId) return 'another trigger of this workflow';
  if (stored.baseUrl !== owner.baseUrl) return `this workflow at the base URL ${stored.baseUrl}`;
  return undefined;
}

/** Whether nothing differs, the API key included: a service keeps its replays for each key apart. */
export function isSameOwner(stored: Owner, owner: Owner): boolean {
  return (Object.keys(owner) as (keyof Owner)[]).every((key) => stored[key] === owner[key]);
}

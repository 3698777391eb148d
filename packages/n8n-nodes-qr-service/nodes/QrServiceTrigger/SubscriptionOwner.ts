import type { IHookFunctions } from 'n8n-workflow';
import { idempotencyKeyFrom, readBaseUrl, type Connection } from '../../core.ts';
import type { StoredSubscription } from './StoredSubscription.ts';

/** The owner of a subscription, as stored. An exported, copied or restored workflow may hold someone else's. */
export interface SubscriptionOwner {
  /** Distinguishes n8n instances without storing their ID. It stays the same when n8n gets another URL. */
  instance: string;
  /** Base URL of the API. */
  baseUrl: string;
  /** Distinguishes API keys without storing them. */
  keyPrint: string;
  workflowId: string;
  nodeId: string;
}

/** Hex digits of a fingerprint: enough to distinguish keys and instances. */
const FINGERPRINT_LENGTH = 12;

/** The owner of the subscriptions that a node creates with a credential. */
export function ownerOf(context: IHookFunctions, { baseUrl, apiKey }: Connection): SubscriptionOwner {
  return {
    instance: fingerprint('instance', context.getInstanceId()),
    baseUrl: readBaseUrl(baseUrl),
    keyPrint: fingerprint('key', apiKey),
    workflowId: context.getWorkflow().id ?? '',
    nodeId: context.getNode().id,
  };
}

/**
 * Describes who else a subscription belongs to; undefined if it is the owner's. The API key may be another one of the same
 * account.
 */
export function describeOtherOwner(
  { owner: stored, url = '' }: StoredSubscription,
  owner: SubscriptionOwner,
): string | undefined {
  if (stored === undefined) return 'an unknown workflow';
  if (stored.instance !== owner.instance)
    return `another n8n instance${URL.canParse(url) ? ` at ${new URL(url).origin}` : ''}`;
  if (stored.workflowId !== owner.workflowId) return `the workflow with the ID ${stored.workflowId}`;
  if (stored.nodeId !== owner.nodeId) return 'another trigger of this workflow';
  if (stored.baseUrl !== owner.baseUrl) return `this workflow at the base URL ${stored.baseUrl}`;
  return undefined;
}

function fingerprint(kind: string, value: string): string {
  return idempotencyKeyFrom([kind, value]).slice(0, FINGERPRINT_LENGTH);
}

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { SubscriptionOwner } from './SubscriptionOwner.ts';
import { omitUndefined } from '../../core.ts';

/** What the node stores about its subscription in static data. Only the life-cycle methods write it. */
export interface StoredSubscription {
  subscriptionId?: string;
  secret?: string;
  url?: string;
  eventTypes?: string[];
  headerPrefix?: string;
  owner?: SubscriptionOwner;
  /** Whether it was created for a test in the editor, whose static data nothing overwrites. */
  isTest?: true;
}

/** A subscription that the service can be asked to remove. */
export type RemovableSubscription = StoredSubscription & { subscriptionId: string };

/** Reads the stored data, which a person may have written. Ignores invalid parts. */
export function readStored(context: IHookFunctions | IWebhookFunctions): StoredSubscription {
  const { subscriptionId, secret, url, eventTypes, headerPrefix, owner, isTest } = storedData(context);
  return omitUndefined({
    subscriptionId: typeof subscriptionId === 'number' ? String(subscriptionId) : text(subscriptionId),
    secret: text(secret),
    url: text(url),
    eventTypes: Array.isArray(eventTypes) ? (eventTypes as string[]) : undefined,
    headerPrefix: text(headerPrefix),
    owner: typeof owner === 'object' && owner !== null ? (owner as SubscriptionOwner) : undefined,
    isTest: isTest === true ? (true as const) : undefined,
  });
}

/** Replaces what is stored. */
export function store(context: IHookFunctions, next: StoredSubscription): void {
  const data = storedData(context);
  for (const key of Object.keys(data)) Reflect.deleteProperty(data, key);
  Object.assign(data, next);
}

/** Whether a subscription has an ID. */
export function isRemovable(
  subscription: StoredSubscription | undefined,
): subscription is RemovableSubscription {
  return subscription?.subscriptionId !== undefined;
}

function storedData(context: IHookFunctions | IWebhookFunctions): Record<string, unknown> {
  return context.getWorkflowStaticData('node');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

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
  /** The subscription removed last. */
  formerId?: string;
  /** Whether the service could not find that one. */
  formerIsGone?: boolean;
  /** Who owns the subscription. */
  owner?: SubscriptionOwner;
  /** The last Idempotency-Key that was used: the next one is derived from it. Missing in data of earlier versions. */
  key?: string;
  /** Whether the service marks replayed responses, so that they can be distinguished from new subscriptions. */
  marksReplays?: boolean;
}

/** Reads the stored data, which an earlier version or a person may have written. Ignores invalid parts. */
export function readStored(context: IHookFunctions | IWebhookFunctions): StoredSubscription {
  const {
    subscriptionId,
    secret,
    url,
    eventTypes,
    headerPrefix,
    formerId,
    formerIsGone,
    owner,
    key,
    marksReplays,
  } = storedData(context);
  return omitUndefined({
    subscriptionId: typeof subscriptionId === 'number' ? String(subscriptionId) : text(subscriptionId),
    secret: text(secret),
    url: text(url),
    eventTypes: Array.isArray(eventTypes) ? (eventTypes as string[]) : undefined,
    headerPrefix: text(headerPrefix),
    formerId: text(formerId),
    formerIsGone: formerIsGone === true ? true : undefined,
    owner: typeof owner === 'object' && owner !== null ? (owner as SubscriptionOwner) : undefined,
    key: text(key),
    marksReplays: marksReplays === true ? true : undefined,
  });
}

/** Whether static data contains neither a subscription nor the ID of an earlier one. */
export function isBlank({ subscriptionId, formerId }: StoredSubscription): boolean {
  return subscriptionId === undefined && formerId === undefined;
}

/** Replaces what is stored. */
export function store(context: IHookFunctions, next: StoredSubscription): void {
  const data = storedData(context);
  for (const key of KEYS) {
    if (next[key] === undefined) Reflect.deleteProperty(data, key);
    else data[key] = next[key];
  }
}

const KEYS = [
  'subscriptionId',
  'secret',
  'url',
  'eventTypes',
  'headerPrefix',
  'formerId',
  'formerIsGone',
  'owner',
  'key',
  'marksReplays',
] as const satisfies (keyof StoredSubscription)[];

function storedData(context: IHookFunctions | IWebhookFunctions): Record<string, unknown> {
  return context.getWorkflowStaticData('node');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

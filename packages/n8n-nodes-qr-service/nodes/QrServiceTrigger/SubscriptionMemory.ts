import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import {
  isRemovable,
  readStored,
  type RemovableSubscription,
  type StoredSubscription,
} from './StoredSubscription.ts';
import { triggerKey } from './triggerKey.ts';

/** More triggers than an n8n instance has, so that nothing is forgotten in practice. */
const MAX_TRIGGERS = 5000;
const MAX_FORMERS = 200;

/** What this process knows about the subscriptions of one trigger. */
interface KnownSubscriptions {
  /** What static data should contain: the newest subscription, or nothing after its removal. */
  newest: StoredSubscription;
  /** IDs of earlier subscriptions, which were replaced or removed. */
  formers: readonly string[];
}

/**
 * What this process knows, by trigger and webhook URL: tests in the editor have another one. n8n writes static data as a whole:
 * a poll, for example, writes back what the workflow's triggers had stored when the polling trigger was activated.
 */
const triggers = new Map<string, KnownSubscriptions>();

/**
 * Records the trigger's newest subscription, which replaces all others. A service may give the same ID to every subscription
 * of a URL.
 */
export function rememberNewest(context: IHookFunctions, url: string, newest: StoredSubscription): void {
  for (const { subscriptionId } of knownSubscriptions(context, url))
    rememberRemoved(context, url, subscriptionId);
  const formers = recall(context, url)?.formers.filter((id) => id !== newest.subscriptionId) ?? [];
  remember(context, url, { newest, formers });
}

/** Records that a subscription was removed or replaced. */
export function rememberRemoved(context: IHookFunctions, url: string, id: string): void {
  const { newest = {}, formers = [] } = recall(context, url) ?? {};
  const left = newest.subscriptionId === id ? {} : newest;
  remember(context, url, { newest: left, formers: [...formers, id].slice(-MAX_FORMERS) });
}

/** The trigger's newest subscription: the stored one, unless n8n has written older data back. */
export function newestSubscription(
  context: IHookFunctions | IWebhookFunctions,
  url: string,
): StoredSubscription {
  const stored = readStored(context);
  const known = recall(context, url);
  if (known === undefined) return stored;
  const { newest, formers } = known;
  const { subscriptionId: id, secret } = stored;
  if (id !== undefined && id === newest.subscriptionId && secret !== undefined) return stored;
  // With an unknown ID, it may be newer: another process may have stored it.
  const isOld = id === undefined || id === newest.subscriptionId || formers.includes(id);
  return isOld ? newest : stored;
}

/** The subscriptions of a trigger that its static data or this process knows, and that weren't removed yet. */
export function knownSubscriptions(context: IHookFunctions, url: string): RemovableSubscription[] {
  const stored = readStored(context);
  const { newest, formers = [] } = recall(context, url) ?? {};
  const known = (stored.isTest === true ? [stored] : [newest, stored]).filter(isRemovable);
  return known.filter(
    ({ subscriptionId: id }, at) =>
      !formers.includes(id) && known.findIndex((other) => other.subscriptionId === id) === at,
  );
}

function recall(context: IHookFunctions | IWebhookFunctions, url: string): KnownSubscriptions | undefined {
  return triggers.get(`${triggerKey(context)} ${url}`);
}

function remember(context: IHookFunctions, url: string, known: KnownSubscriptions): void {
  const key = `${triggerKey(context)} ${url}`;
  triggers.delete(key);
  triggers.set(key, known);
  const [oldest] = triggers.keys();
  if (triggers.size > MAX_TRIGGERS && oldest !== undefined) triggers.delete(oldest);
}

import type { IHookFunctions } from 'n8n-workflow';
import { isApiError, type ApiError, type UnsubscribeResult } from '../../core.ts';
import { readStored, store, type RemovableSubscription } from './StoredSubscription.ts';
import { knownSubscriptions, rememberRemoved } from './SubscriptionMemory.ts';
import { describeOtherOwner } from './SubscriptionOwner.ts';
import type { Trigger } from './Trigger.ts';

/**
 * Removes all subscriptions of a trigger that its static data or this process knows. Nothing is requested to find others.
 * The log names each that stays, or may stay.
 * @param isFinal whether a proxy's response is thrown, too, as it may be temporary; otherwise another subscription follows
 * @throws temporary failures, so that n8n tries again
 */
export async function removeKnown(trigger: Trigger, isFinal: boolean): Promise<void> {
  const { context, url } = trigger;
  const failures: unknown[] = [];
  for (const subscription of knownSubscriptions(context, url))
    try {
      if (await remove(trigger, subscription, isFinal)) forget(context, url, subscription);
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

/** Forgets the subscriptions of a trigger that could not be removed: the log has named them. */
export function forgetKnown({ context, url }: Trigger): void {
  for (const subscription of knownSubscriptions(context, url)) forget(context, url, subscription);
}

function forget(context: IHookFunctions, url: string, { subscriptionId }: RemovableSubscription): void {
  rememberRemoved(context, url, subscriptionId);
  if (readStored(context).subscriptionId === subscriptionId) store(context, {});
}

/** Whether nothing more can be done about it. If it may stay, the log names it. */
async function remove(
  { client, owner, log }: Trigger,
  subscription: RemovableSubscription,
  isFinal: boolean,
): Promise<boolean> {
  const { subscriptionId: id } = subscription;
  const other = describeOtherOwner(subscription, owner);
  if (other !== undefined) {
    log.leftInPlace(id, other);
    return true;
  }
  const hasSameKey = subscription.owner?.keyPrint === owner.keyPrint;
  // Numeric IDs may be per workspace, so another key could remove someone else's subscription.
  if (!hasSameKey && /^\d+$/.test(id)) {
    log.createdWithOtherKey(id);
    return true;
  }
  const result = await client.webhooks.unsubscribe(id).catch((error: unknown) => {
    if (isApiError(error) && !error.retryable && !(isFinal && error.intermediary !== undefined)) return error;
    log.removalFailed(id);
    throw error;
  });
  if (result === 'removed') return true;
  if (result !== 'already-gone') log.notRemovable(id, obstacle(result));
  else if (hasSameKey) log.notFound(id);
  else log.createdWithOtherKey(id);
  return result === 'already-gone';
}

function obstacle(result: Exclude<UnsubscribeResult, 'removed' | 'already-gone'> | ApiError): string {
  if (result === 'unsupported') return 'the service has no way to remove it';
  return result.intermediary === undefined
    ? `the service responded with ${result.code}`
    : `a proxy or firewall responded with status ${result.status}`;
}

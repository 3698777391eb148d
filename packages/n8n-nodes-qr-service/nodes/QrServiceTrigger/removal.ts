import { describeError, isApiError } from '../../core.ts';
import type { RemovableSubscription } from './StoredSubscription.ts';
import { knownSubscriptions, rememberRemoved } from './SubscriptionMemory.ts';
import { describeOtherOwner } from './SubscriptionOwner.ts';
import type { Trigger } from './Trigger.ts';

/** A subscription that stays at the service, or may stay. */
export interface Leftover {
  id: string;
  /** Names it in the log. */
  log: () => void;
  /** Why it could not be removed, if it may be possible later. */
  error?: unknown;
}

/**
 * Removes and forgets all subscriptions of a trigger that its static data or this process knows. Nothing is requested to
 * find others. Returns those that stay, which are still known.
 */
export async function removeKnown(trigger: Trigger): Promise<Leftover[]> {
  const { context, url } = trigger;
  const left: Leftover[] = [];
  for (const subscription of knownSubscriptions(context, url)) {
    const leftover = await remove(trigger, subscription);
    if (leftover === undefined) rememberRemoved(context, url, subscription.subscriptionId);
    else left.push(leftover);
  }
  return left;
}

async function remove(
  { client, owner, log }: Trigger,
  subscription: RemovableSubscription,
): Promise<Leftover | undefined> {
  const { subscriptionId: id } = subscription;
  const other = describeOtherOwner(subscription, owner);
  if (other !== undefined) return { id, log: () => log.leftInPlace(id, other) };
  const hasSameKey = subscription.owner?.keyPrint === owner.keyPrint;
  const notFound = { id, log: () => (hasSameKey ? log.notFound(id) : log.createdWithOtherKey(id)) };
  // Numeric IDs may be per workspace, so another key could remove someone else's subscription.
  if (!hasSameKey && /^\d+$/.test(id)) return notFound;
  try {
    const result = await client.webhooks.unsubscribe(id);
    if (result === 'removed') return undefined;
    if (result === 'already-gone') return notFound;
    return { id, log: () => log.notRemovable(id, 'the service has no way to remove it') };
  } catch (error) {
    // Another server's response may be temporary.
    if (isApiError(error) && !error.retryable && error.intermediary === undefined)
      return { id, log: () => log.notRemovable(id, `the service responded with ${error.code}`) };
    return { id, log: () => log.removalFailed(id, describeError(error).message), error };
  }
}

import { isApiError } from '../../core.ts';
import {
  checkIfNew,
  MAX_REPLAYS,
  nextKey,
  removeSubscription,
  subscribeWith,
  type CreatedSubscription,
  type SubscriptionRequest,
} from './ensureSubscription.ts';

/** Keys that are tried while a delivery waits. The next delivery continues from there. */
const MAX_KEYS = 20;

/** What the service has for the keys after an Idempotency-Key. */
export interface Newer {
  /** Subscriptions that it replayed, oldest first. Some were replaced since. */
  found: CreatedSubscription[];
  /** The key tried last. */
  lastTried: string;
}

/**
 * Requests the subscriptions that were created with a key or a later one: within 24 hours it replays each
 * one with its secret (API text, "Limits", 3). A key that wasn't used yet creates a subscription, which is removed at
 * once.
 * @param request with the node's current settings, as a replay needs the same input
 * @param isWanted recognizes the subscription to find, which ends the search
 * @param isCurrent recognizes one that is already known: a service may return it instead of creating another one
 * @throws ApiError, and what the client throws for network failures
 */
export async function findNewer(
  request: SubscriptionRequest,
  key: string,
  isWanted: (subscription: CreatedSubscription) => boolean,
  isCurrent: (id: string) => boolean,
): Promise<Newer> {
  const found: CreatedSubscription[] = [];
  let lastTried = key;
  for (let tried = 0; tried < MAX_KEYS; tried++, key = nextKey(key)) {
    lastTried = key;
    const attempt = await subscribeOrConflict(request, key);
    if (attempt === 'taken') continue;
    if (isCurrent(attempt.id)) break;
    const subscription = { ...attempt, key };
    if (isWanted(subscription)) return { found: [...found, subscription], lastTried };
    const { isNew } = await checkIfNew(request, attempt, key, undefined);
    if (isNew === true) {
      await removeCreated(request, attempt.id);
      break;
    }
    found.push(subscription);
    // On a service that doesn't mark replays, this may be a new one. It's ours either way, but more would follow.
    if (isNew === undefined) {
      request.log.mayBeOrphaned(request.input.url, 'n8n has lost the data of an earlier subscription');
      break;
    }
  }
  return { found, lastTried };
}

/**
 * Removes the active subscription that was created with a key or a later one, if there is one. Requests each until one
 * was active.
 * @returns the last one and its key; undefined if the service rejected a request
 * @throws temporary failures
 */
export async function removeNewer(
  request: SubscriptionRequest,
  key: string,
): Promise<{ id: string; key: string } | undefined> {
  const { client, input, log } = request;
  let isAnyTaken = false;
  for (let tried = 0; tried < MAX_REPLAYS; tried++, key = nextKey(key)) {
    const attempt = await subscribeOrConflict(request, key).catch((error: unknown) => {
      log.mayBeOrphaned(
        input.url,
        "n8n has no current data for this trigger and the service didn't provide it",
      );
      if (!isApiError(error) || error.retryable) throw error;
      return undefined;
    });
    if (attempt === undefined) return undefined;
    if (attempt === 'taken') {
      isAnyTaken = true;
      continue;
    }
    const { id, replayed } = attempt;
    const removal = await removeSubscription(client, id, true).catch((error: unknown) => {
      log.removalFailed(id);
      throw error;
    });
    if (removal === 'already-gone') continue;
    if (typeof removal === 'object') log.notRemovable(id, removal.obstacle);
    else if (replayed !== true)
      log.mayBeOrphaned(
        input.url,
        isAnyTaken
          ? "n8n didn't save an activation with other events"
          : 'The stored webhook subscription was gone, and the service returns a newer one only within 24 hours',
      );
    return { id, key };
  }
  return undefined;
}

async function removeCreated({ client, log }: SubscriptionRequest, id: string): Promise<void> {
  const removal = await removeSubscription(client, id).catch((error: unknown) => {
    log.removalFailed(id);
    throw error;
  });
  if (typeof removal === 'object') log.notRemovable(id, removal.obstacle);
  else log.removedAgain(id);
}

function subscribeOrConflict(request: SubscriptionRequest, key: string) {
  return subscribeWith(request, key).catch((error: unknown) => {
    if (isApiError(error) && error.code === 'idempotency_conflict') return 'taken' as const;
    throw error;
  });
}

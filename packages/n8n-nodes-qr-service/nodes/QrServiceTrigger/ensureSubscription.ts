import { randomUUID } from 'node:crypto';
import {
  idempotencyKeyFrom,
  isApiError,
  type QrServiceClient,
  type WebhookSubscription,
  type WebhookSubscriptionInput,
} from '../../core.ts';
import type { Owner } from './SubscriptionOwner.ts';
import type { SubscriptionLog } from './SubscriptionLog.ts';

/** What a new subscription is made from. */
export interface SubscriptionRequest {
  client: QrServiceClient;
  input: WebhookSubscriptionInput;
  owner: Owner;
  /** The owner's subscription that was removed last, if known. */
  formerId: string | undefined;
  /** Whether that one was alive until it was removed just now. */
  followsLive: boolean;
  log: SubscriptionLog;
}

/** How the removal of a subscription ended; with an obstacle it stays. */
export type Removal = 'removed' | 'already-gone' | { obstacle: string; isUnsupported: boolean };

/** Replays that are followed. More activations than these in 24 hours leave the oldest ones out. */
const MOST_STEPS = 100;

/** Base URLs of services that mark replayed responses. */
const marking = new Set<string>();

/**
 * Makes a subscription that is alive now.
 *
 * n8n saves the subscription only after it was made. So that a crash in between leaves none behind that nobody knows,
 * each Idempotency-Key follows from the subscription before: asked again, the service replays its response (API text,
 * "Limits", 3). That may also be about a subscription that was removed since, as when static data was lost or
 * restored. Since a key is used only after the subscription that it follows from was removed, nothing has followed one
 * that is still there: a replay is removed, and the key after it is asked next.
 *
 * The API text shows neither a mark of replays nor a way to remove a subscription. A service that has neither can't be
 * asked whether one is alive: then the answer is taken as it is.
 */
export async function createAlive(request: SubscriptionRequest): Promise<WebhookSubscription> {
  const { client, input, log } = request;
  let { formerId, followsLive } = request;
  for (let step = 0; step < MOST_STEPS; step++) {
    const { made, isFresh } = await ask(request, formerId, followsLive);
    if (isFresh === true) return made;
    const removal = await removeOrName(made.id);
    if (isFresh === undefined) {
      if (typeof removal === 'object' && removal.isUnsupported && !log.isToBeRemoved(made.id)) return made;
      if (removal === 'already-gone') log.notFound(made.id, input.url);
      // The next one is certainly new only if this one was certainly alive.
      if (removal !== 'removed' || followsLive) return subscribeWith(request, randomUUID());
    }
    if (typeof removal === 'object') log.stays(made.id, removal.obstacle);
    formerId = made.id;
    followsLive = removal === 'removed';
  }
  log.mayExist(input.url, 'Earlier activations could not be followed to the last one');
  return subscribeWith(request, randomUUID());

  function removeOrName(id: string): Promise<Removal> {
    return remove(client, id).catch((error: unknown) => {
      log.notYetRemoved(id);
      throw error;
    });
  }
}

/**
 * Removes a subscription at the service.
 * @param isEnd whether a proxy's refusal is thrown, too, as it may pass
 * @throws what may pass
 */
export function remove(client: QrServiceClient, id: string, isEnd = false): Promise<Removal> {
  return client.webhooks.unsubscribe(id).then<Removal, Removal>(
    (result) =>
      result === 'unsupported'
        ? { obstacle: 'the service offers no way to remove it', isUnsupported: true }
        : result,
    (error: unknown) => {
      if (!isApiError(error) || error.retryable) throw error;
      if (error.intermediary === undefined)
        return { obstacle: `the service refused with ${error.code}`, isUnsupported: false };
      if (isEnd) throw error;
      return { obstacle: `a proxy or firewall refused with status ${error.status}`, isUnsupported: false };
    },
  );
}

/** A subscription, and whether it was made just now; undefined where that can't be told. */
interface Asked {
  made: WebhookSubscription;
  isFresh: boolean | undefined;
}

async function ask(
  request: SubscriptionRequest,
  formerId: string | undefined,
  followsLive: boolean,
): Promise<Asked> {
  const { input, owner, log } = request;
  const { address, baseUrl, workflowId, nodeId } = owner;
  const key = idempotencyKeyFrom([address, baseUrl, workflowId, nodeId, formerId ?? null]);
  const first = await subscribeWith(request, key).catch((error: unknown) => {
    if (!isApiError(error) || error.retryable) throw error;
    return error;
  });
  if (!isApiError(first)) return confirm(request, first, key, followsLive ? formerId : undefined);
  if (first.code !== 'idempotency_conflict') {
    // A refusal may be a replay, too, of a cause that was fixed since. It made nothing.
    const made = await subscribeWith(request, randomUUID());
    log.mayExist(input.url, `The service first refused with ${first.code}, as it may have done before`);
    return { made, isFresh: true };
  }
  // An activation that n8n did not save was for other events or another path.
  log.mayExist(input.url, 'An earlier activation was not saved');
  const ownKey = idempotencyKeyFrom([key, input.url, input.eventTypes]);
  return confirm(request, await subscribeWith(request, ownKey), ownKey, undefined);
}

/**
 * Finds out whether a subscription was made just now or is a replay.
 * @param removedId the one that it follows from, where the service says that it was alive until it was removed
 */
async function confirm(
  request: SubscriptionRequest,
  made: WebhookSubscription,
  key: string,
  removedId: string | undefined,
): Promise<Asked> {
  const { client, owner, log } = request;
  if (made.replayed === true) {
    marking.add(owner.baseUrl);
    return { made, isFresh: false };
  }
  if (marking.has(owner.baseUrl)) return { made, isFresh: true };
  // A second request with the same key is certainly replayed: if that one is marked and the first wasn't, the first was new.
  const again = await subscribeWith(request, key).catch((error: unknown) => {
    // A refusal can't replay a success, so the service ignores the key and the first response was new, too.
    if (isApiError(error) && !error.retryable) return undefined;
    log.notYetRemoved(made.id);
    throw error;
  });
  if (again === undefined) return { made, isFresh: true };
  if (again.id !== made.id) {
    const removal = await remove(client, again.id).catch((error: unknown) => {
      for (const { id } of [made, again]) log.notYetRemoved(id);
      throw error;
    });
    if (typeof removal === 'object') log.stays(again.id, removal.obstacle);
    return { made, isFresh: true };
  }
  if (again.replayed === true) {
    marking.add(owner.baseUrl);
    return { made, isFresh: true };
  }
  if (removedId === undefined) return { made, isFresh: undefined };
  // Some services respond in the same way if it was already gone.
  const removal = await remove(client, removedId).catch((error: unknown) => {
    log.notYetRemoved(made.id);
    throw error;
  });
  return { made, isFresh: removal === 'already-gone' ? true : undefined };
}

/** Asks for a subscription, and says in the log what is or may be there from now on. */
export async function subscribeWith(
  { client, input, log }: SubscriptionRequest,
  idempotencyKey: string,
): Promise<WebhookSubscription> {
  const made = await client.webhooks.subscribe(input, { idempotencyKey }).catch((error: unknown) => {
    const madeNothing = isApiError(error) && (!error.retryable || error.status === 429);
    if (!madeNothing) log.mayExist(input.url, 'The service gave no usable response');
    throw error;
  });
  if (made.replayed === undefined) log.created(made.id);
  return made;
}

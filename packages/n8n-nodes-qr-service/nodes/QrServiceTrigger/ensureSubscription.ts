import { randomUUID } from 'node:crypto';
import {
  idempotencyKeyFrom,
  isApiError,
  type QrServiceClient,
  type WebhookSubscription,
  type WebhookSubscriptionInput,
} from '../../core.ts';
import type { SubscriptionLog } from './SubscriptionLog.ts';
import type { SubscriptionOwner } from './SubscriptionOwner.ts';

/** What a new subscription is created from. */
export interface SubscriptionRequest {
  client: QrServiceClient;
  input: WebhookSubscriptionInput;
  owner: SubscriptionOwner;
  /** The owner's last subscription, which was removed; undefined if unknown. */
  formerId: string | undefined;
  /** The Idempotency-Key used last; missing if unknown. */
  formerKey?: string | undefined;
  /** Whether that one was active until it was removed just now. */
  formerWasActive: boolean;
  log: SubscriptionLog;
}

/** How the removal of a subscription ended. With an obstacle, the subscription stays. */
export type Removal = 'removed' | 'already-gone' | { obstacle: string; isUnsupported: boolean };

/** A new subscription with the Idempotency-Key that it was created with. */
export interface CreatedSubscription extends WebhookSubscription {
  key: string;
}

/** Keys that are followed. After more activations than this within 24 hours, the oldest are not checked. */
export const MAX_REPLAYS = 100;

/** Base URLs of services that mark replayed responses. */
const marksReplays = new Set<string>();

/** Whether a service is known to mark replayed responses. */
export function isMarkingReplays(baseUrl: string): boolean {
  return marksReplays.has(baseUrl);
}

/**
 * Creates a subscription that is active now.
 *
 * n8n saves a subscription only after it was created. To find one again after a crash in between, each
 * Idempotency-Key is derived from the previous key: repeating the request replays the same subscription (API text,
 * "Limits", 3). So all later keys can be derived from any older static data, too. The subscription may have been
 * removed since, for example if static data was lost or restored. As a key is only used after the subscription of
 * the previous key was removed, no subscription but the one of the last key still exists: a replayed subscription is
 * removed, and the next key is tried.
 *
 * The API text describes neither a mark for replays nor a way to remove a subscription. With neither, there is no
 * way to check whether a subscription is active, and the response is trusted.
 */
export async function ensureSubscription(request: SubscriptionRequest): Promise<CreatedSubscription> {
  const { client, input, log } = request;
  let { formerId, formerWasActive } = request;
  let key = keyAfter(request.owner, formerId, request.formerKey);
  for (let replays = 0; replays < MAX_REPLAYS; replays++, key = nextKey(key)) {
    const attempt = await subscribeAs(request, key, formerWasActive ? formerId : undefined);
    if (attempt === 'taken') {
      formerId = undefined;
      formerWasActive = false;
      continue;
    }
    const { subscription, isNew } = attempt;
    if (isNew === true) return { ...subscription, key };
    const { id } = subscription;
    const removal = await removeOrLog(id);
    if (isNew === undefined) {
      if (typeof removal === 'object' && removal.isUnsupported && !log.isReported(id))
        return { ...subscription, key };
      if (removal === 'already-gone') log.notFound(id, input.url);
      // The next one is certain to be new only if this one was certain to be active.
      if (removal !== 'removed' || formerWasActive) return subscribeFreshly();
    }
    if (typeof removal === 'object') log.notRemovable(id, removal.obstacle);
    formerId = id;
    formerWasActive = removal === 'removed';
  }
  log.mayBeOrphaned(input.url, 'Not all earlier webhook subscriptions of the trigger could be traced');
  return subscribeFreshly();

  async function subscribeFreshly(): Promise<CreatedSubscription> {
    const fresh = randomUUID();
    return { ...(await subscribeWith(request, fresh)), key: fresh };
  }

  function removeOrLog(id: string): Promise<Removal> {
    return removeSubscription(client, id).catch((error: unknown) => {
      log.removalFailed(id);
      throw error;
    });
  }
}

/**
 * Removes a subscription at the service.
 * @param isFinal whether a proxy's rejection is thrown, too, as it may be temporary
 * @throws temporary failures
 */
export function removeSubscription(client: QrServiceClient, id: string, isFinal = false): Promise<Removal> {
  return client.webhooks.unsubscribe(id).then<Removal, Removal>(
    (result) =>
      result === 'unsupported'
        ? { obstacle: 'the service has no way to remove it', isUnsupported: true }
        : result,
    (error: unknown) => {
      if (!isApiError(error) || error.retryable) throw error;
      if (error.intermediary === undefined)
        return { obstacle: `the service responded with ${error.code}`, isUnsupported: false };
      if (isFinal) throw error;
      return { obstacle: `a proxy or firewall responded with status ${error.status}`, isUnsupported: false };
    },
  );
}

/** A subscription, and whether it was created just now; undefined if that can't be determined. */
export interface Attempt {
  subscription: WebhookSubscription;
  isNew: boolean | undefined;
}

/**
 * The Idempotency-Key that follows an owner's subscription.
 * @param formerKey that subscription's own key; earlier versions stored only its ID
 */
export function keyAfter(
  { address, baseUrl, workflowId, nodeId }: SubscriptionOwner,
  formerId: string | undefined,
  formerKey: string | undefined,
): string {
  if (formerKey !== undefined) return nextKey(formerKey);
  return idempotencyKeyFrom([address, baseUrl, workflowId, nodeId, formerId ?? null]);
}

/** The Idempotency-Key that follows another one. */
export function nextKey(key: string): string {
  return idempotencyKeyFrom(['next', key]);
}

/** Subscribes with a key; 'taken' if it was used for other events or another URL. */
async function subscribeAs(
  request: SubscriptionRequest,
  key: string,
  formerId: string | undefined,
): Promise<Attempt | 'taken'> {
  const { input, log } = request;
  const first = await subscribeWith(request, key).catch((error: unknown) => {
    if (!isApiError(error) || error.retryable) throw error;
    return error;
  });
  if (!isApiError(first)) return checkIfNew(request, first, key, formerId);
  if (first.code === 'idempotency_conflict') {
    log.mayBeOrphaned(input.url, "n8n didn't save an earlier activation");
    return 'taken';
  }
  // The rejection may be a replay whose cause was fixed since. It created nothing.
  const subscription = await subscribeWith(request, randomUUID());
  log.mayBeOrphaned(
    input.url,
    `The service first responded with ${first.code}, possibly repeating an earlier response`,
  );
  return { subscription, isNew: true };
}

/**
 * Finds out whether a subscription was created just now or is replayed.
 * @param formerId the previous one, if it was active until it was removed, according to the service
 */
export async function checkIfNew(
  request: SubscriptionRequest,
  subscription: WebhookSubscription,
  key: string,
  formerId: string | undefined,
): Promise<Attempt> {
  const { client, owner, log } = request;
  if (subscription.replayed === true) return { subscription, isNew: false };
  if (marksReplays.has(owner.baseUrl)) return { subscription, isNew: true };
  // A second request with the same key is certain to be replayed. If only that response is marked, the first was new.
  const second = await subscribeWith(request, key).catch((error: unknown) => {
    // A rejection can't replay a success, so the service ignores the key and the first response was new, too.
    if (isApiError(error) && !error.retryable) return undefined;
    log.removalFailed(subscription.id);
    throw error;
  });
  if (second === undefined) return { subscription, isNew: true };
  if (second.id !== subscription.id) {
    const removal = await removeSubscription(client, second.id).catch((error: unknown) => {
      for (const { id } of [subscription, second]) log.removalFailed(id);
      throw error;
    });
    if (typeof removal === 'object') log.notRemovable(second.id, removal.obstacle);
    return { subscription, isNew: true };
  }
  if (second.replayed === true) return { subscription, isNew: true };
  if (formerId === undefined) return { subscription, isNew: undefined };
  // Some services return "removed" for any ID; only one that now returns "already gone" can be trusted.
  const removal = await removeSubscription(client, formerId).catch((error: unknown) => {
    log.removalFailed(subscription.id);
    throw error;
  });
  return { subscription, isNew: removal === 'already-gone' ? true : undefined };
}

/** Subscribes with an Idempotency-Key, and logs what exists or may exist from now on. */
export async function subscribeWith(
  { client, input, owner, log }: SubscriptionRequest,
  idempotencyKey: string,
): Promise<WebhookSubscription> {
  const subscription = await client.webhooks.subscribe(input, { idempotencyKey }).catch((error: unknown) => {
    const createdNothing = isApiError(error) && (!error.retryable || error.status === 429);
    if (!createdNothing) log.mayBeOrphaned(input.url, 'The service returned no usable response');
    throw error;
  });
  if (subscription.replayed === true) marksReplays.add(owner.baseUrl);
  else log.created(subscription.id);
  return subscription;
}

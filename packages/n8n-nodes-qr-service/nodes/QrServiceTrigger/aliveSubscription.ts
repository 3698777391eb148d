import { randomUUID } from 'node:crypto';
import {
  idempotencyKeyFrom,
  isApiError,
  type QrServiceClient,
  type WebhookSubscription,
  type WebhookSubscriptionInput,
} from '../../core.ts';
import type { Owner } from './Owner.ts';
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
  /** Whether a delivery was signed with this secret, so that its subscription is alive. */
  isProven: (secret: string) => boolean;
  log: SubscriptionLog;
}

/** How the removal of a subscription ended; `refused`: for good, with the service's code. */
export type Removal = 'removed' | 'already-gone' | { obstacle: string };

/** Replays that are followed. More activations than these in 24 hours leave the oldest ones out. */
const MOST_STEPS = 100;

/** Subscriptions that are gone when they are to be removed, of which it can't be told whether they were there. */
const MOST_DOUBTS = 3;

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
 */
export async function createAlive(request: SubscriptionRequest): Promise<WebhookSubscription> {
  let { formerId, followsLive } = request;
  let doubts = MOST_DOUBTS;
  for (let step = 0; step < MOST_STEPS; step++) {
    const { made, isFresh } = await ask(request, formerId, followsLive);
    if (isFresh === true) return made;
    if (request.isProven(made.secret)) {
      // The service may once have refused to remove it, so that another one followed.
      request.log.mayExist(request.input.url, 'An earlier activation was not saved');
      return made;
    }
    const removal = await remove(request.client, made.id);
    if (typeof removal === 'object') {
      // Without a way to remove it, nobody but a person can have done so.
      if (isFresh === undefined) return made;
      request.log.stays(made.id, removal.obstacle);
    }
    // A service that marks no replay may also answer 404 to every removal: then each of these is a new one.
    if (isFresh === undefined && removal === 'already-gone' && --doubts === 0) break;
    formerId = made.id;
    followsLive = removal === 'removed';
  }
  request.log.mayExist(request.input.url, 'Earlier activations could not be followed to the last one');
  return subscribe(request, randomUUID());
}

/** Removes a subscription at the service. @throws what may pass, a proxy's refusal among it */
export function remove(client: QrServiceClient, id: string): Promise<Removal> {
  return client.webhooks.unsubscribe(id).then<Removal, Removal>(
    (result) => (result === 'unsupported' ? { obstacle: 'the service offers no way to remove it' } : result),
    (error: unknown) => {
      if (isApiError(error) && !error.retryable && error.intermediary === undefined)
        return { obstacle: `the service refused with ${error.code}` };
      throw error;
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
  const { origin, baseUrl, workflowId, nodeId } = owner;
  const key = idempotencyKeyFrom([origin, baseUrl, workflowId, nodeId, formerId ?? null]);
  return askWith(request, key, followsLive).catch(async (error: unknown) => {
    if (!isApiError(error) || error.retryable) throw error;
    if (error.code !== 'idempotency_conflict') {
      // A refusal may be a replay, too, of a cause that was fixed since. It made nothing.
      const made = await subscribe(request, randomUUID());
      log.mayExist(input.url, `The service first refused with ${error.code}, as it may have done before`);
      return { made, isFresh: true };
    }
    // An activation that n8n did not save was for other events or another path.
    log.mayExist(input.url, 'An earlier activation was not saved');
    return askWith(request, idempotencyKeyFrom([key, input.url, input.eventTypes]), false);
  });
}

async function askWith(request: SubscriptionRequest, key: string, followsLive: boolean): Promise<Asked> {
  const { client, owner } = request;
  const made = await subscribe(request, key);
  if (made.replayed === true) {
    marking.add(owner.baseUrl);
    return { made, isFresh: false };
  }
  if (followsLive || marking.has(owner.baseUrl)) return { made, isFresh: true };
  // Asked once more, it is a replay for certain: whether this service marks those tells what the first one was.
  const again = await subscribe(request, key);
  if (again.id !== made.id) {
    // The service takes no notice of the key, so it replays nothing.
    await remove(client, again.id);
    return { made, isFresh: true };
  }
  if (again.replayed !== true) return { made, isFresh: undefined };
  marking.add(owner.baseUrl);
  return { made, isFresh: true };
}

async function subscribe(
  { client, input, log }: SubscriptionRequest,
  idempotencyKey: string,
): Promise<WebhookSubscription> {
  const made = await client.webhooks.subscribe(input, { idempotencyKey }).catch((error: unknown) => {
    if (!isApiError(error) || error.retryable) log.mayExist(input.url, 'The service gave no usable response');
    throw error;
  });
  if (made.replayed === undefined) log.created(made.id);
  return made;
}

import { randomUUID } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
  omitUndefined,
  checkWebhookUrl,
  describeError,
  isQrServiceError,
  readHeaderPrefix,
  sentence,
  type QrServiceClient,
  type WebhookSubscription,
  readConnection,
} from '../../core.ts';
import { CREDENTIAL_NAME } from '../shared/credentials.ts';
import { toNodeError } from '../shared/toNodeError.ts';
import { createClient } from '../shared/transport/createClient.ts';
import {
  ensureSubscription,
  removeSubscription,
  subscribeWith,
  type SubscriptionRequest,
} from './ensureSubscription.ts';
import { startSample } from './sample.ts';
import { readActivationSettings, type ActivationSettings } from './settings.ts';
import { readStored, store, type StoredSubscription } from './StoredSubscription.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';
import {
  currentOwner,
  describeOtherOwner,
  isSameOwner,
  type SubscriptionOwner,
} from './SubscriptionOwner.ts';
import { triggerKey } from './triggerKey.ts';

/** Activations in which n8n resumes what it already had. All others create a new subscription. */
const RESUMING_MODES: readonly string[] = ['init', 'leadershipChange'];

/** Whether n8n is restarting and the stored subscription still fits the workflow. */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
  if (!RESUMING_MODES.includes(context.getActivationMode())) {
    readActivationSettings(context);
    return false;
  }
  const stored = readStored(context);
  const { subscriptionId, secret, url, eventTypes } = stored;
  if (subscriptionId === undefined || secret === undefined || url !== webhookUrl(context)) return false;
  const wanted = usableSettings(context);
  if (wanted !== undefined && JSON.stringify(eventTypes) !== JSON.stringify(wanted.eventTypes)) return false;
  const owner = await usableOwner(context, url);
  if (owner !== undefined && describeOtherOwner(stored.owner ?? owner, owner) !== undefined) return false;
  // Deliveries of the same subscription may have other headers from now on.
  const headerPrefix = (await usableHeaderPrefix(context)) ?? stored.headerPrefix;
  store(context, omitUndefined({ ...stored, headerPrefix }));
  return true;
}

/** Undefined, with a warning, if they aren't valid: the subscription stays, since nobody is there to fix them. */
function usableSettings(context: IHookFunctions): ActivationSettings | undefined {
  try {
    return readActivationSettings(context);
  } catch (error) {
    const { message, description } = toNodeError(context.getNode(), error);
    new SubscriptionLog(context).keptUnchanged(`${sentence(message)} ${description ?? ''}`.trim());
    return undefined;
  }
}

/** Undefined, with a warning, if the credential isn't valid. */
function usableOwner(context: IHookFunctions, url: string): Promise<SubscriptionOwner | undefined> {
  return currentOwner(context, url).catch((error: unknown) => {
    if (!isQrServiceError(error)) throw error;
    new SubscriptionLog(context).keptUnchanged(
      `${sentence(describeError(error).message)} Correct the credential.`,
    );
    return undefined;
  });
}

/** Undefined, with a warning, if it isn't valid in a header's name. */
async function usableHeaderPrefix(context: IHookFunctions): Promise<string | undefined> {
  const fields = await context.getCredentials(CREDENTIAL_NAME);
  try {
    return readHeaderPrefix(readConnection(fields).headerPrefix);
  } catch (error) {
    new SubscriptionLog(context).keptUnchanged(
      `${sentence(describeError(error).message)} Correct the credential.`,
    );
    return undefined;
  }
}

/**
 * Replaces any earlier subscription, and stores the ID and the secret at once: n8n saves them when this returns.
 * A test with the sample option gets a sample instead of a subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
  const url = webhookUrl(context);
  const { eventTypes, sampleType } = readActivationSettings(context);
  if (isTest(context) && sampleType !== undefined) {
    store(context, { secret: await startSample(context, url, sampleType) });
    return;
  }
  requirePublicUrl(context, url);
  const client = await createClient(context);
  const owner = await currentOwner(context, url);
  const headerPrefix = await headerPrefixOf(context);
  const log = new SubscriptionLog(context);
  const formerWasActive = await removeStored(context, client, owner);
  const { formerId, formerIsGone, owner: formerOwner } = readStored(context);
  if (formerId !== undefined && formerIsGone === true) log.notFound(formerId, url);
  const request: SubscriptionRequest = {
    client,
    input: { url, eventTypes },
    owner,
    formerId: formerOwner !== undefined && isSameOwner(formerOwner, owner) ? formerId : undefined,
    formerWasActive,
    log,
  };
  const { id, secret } = await (isTest(context)
    ? createForTest(context, request)
    : ensureSubscription(request));
  store(context, { subscriptionId: id, secret, url, eventTypes, headerPrefix, owner });
  log.activated();
}

/**
 * Removes the stored subscription at the service and forgets it. If it can't be removed or isn't this workflow's,
 * the log says so and what to do. A temporary failure throws, so that n8n retries.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const stored = readStored(context);
  const { subscriptionId, url = '' } = stored;
  if (subscriptionId === undefined) {
    store(context, withoutSubscription(stored));
    return;
  }
  const removing = createClient(context).then(async (client) =>
    removeStored(context, client, await currentOwner(context, webhookUrl(context) || url), true),
  );
  await removing.catch((error: unknown) => {
    new SubscriptionLog(context).removalFailed(subscriptionId);
    throw error;
  });
  testSubscriptions.delete(subscriptionId);
}

/** Triggers of test subscriptions, by the subscription's ID: n8n forgets one if the same test is started again. */
const testSubscriptions = new Map<string, string>();

/** A test stores nothing, so it has nothing to resume: each creates its own subscription. */
async function createForTest(
  context: IHookFunctions,
  request: SubscriptionRequest,
): Promise<WebhookSubscription> {
  const trigger = `${triggerKey(context)} ${JSON.stringify(request.owner)}`;
  for (const [id, other] of testSubscriptions) {
    if (other !== trigger) continue;
    testSubscriptions.delete(id);
    await removeSubscription(request.client, id).catch(() => request.log.removalFailed(id));
  }
  const subscription = await subscribeWith(request, randomUUID());
  testSubscriptions.set(subscription.id, trigger);
  return subscription;
}

/**
 * Removes and forgets the stored subscription.
 * @param isFinal whether a proxy's rejection is worth a retry; otherwise another subscription follows
 * @returns whether there was one of the same owner that was active until now
 */
async function removeStored(
  context: IHookFunctions,
  client: QrServiceClient,
  owner: SubscriptionOwner,
  isFinal = false,
): Promise<boolean> {
  const stored = readStored(context);
  const { subscriptionId } = stored;
  if (subscriptionId === undefined) return false;
  const log = new SubscriptionLog(context);
  const storedOwner = stored.owner ?? ownerOfEarlierVersion(stored, owner, webhookUrl(context));
  const other = describeOtherOwner(storedOwner, owner);
  if (other !== undefined) {
    log.leftInPlace(subscriptionId, other);
    store(context, withoutSubscription(stored));
    return false;
  }
  const isOwn = isSameOwner(storedOwner, owner);
  // Numeric IDs may be per workspace, so another key could remove someone else's subscription.
  const removal =
    isOwn || !/^\d+$/.test(subscriptionId)
      ? await removeSubscription(client, subscriptionId, isFinal).catch((error: unknown) => {
          log.removalFailed(subscriptionId);
          throw error;
        })
      : 'already-gone';
  if (typeof removal === 'object') log.notRemovable(subscriptionId, removal.obstacle);
  else if (removal === 'already-gone' && !isOwn) log.createdWithOtherKey(subscriptionId);
  const isGone = removal === 'already-gone';
  store(
    context,
    isOwn
      ? { formerId: subscriptionId, owner, ...(isGone ? { formerIsGone: true } : {}) }
      : withoutSubscription(stored),
  );
  return isOwn && removal === 'removed';
}

/** An earlier version stored only the URL. */
function ownerOfEarlierVersion(
  { url = '' }: StoredSubscription,
  owner: SubscriptionOwner,
  own: string,
): SubscriptionOwner {
  return url === own ? owner : { ...owner, address: url };
}

/** What stays stored without a subscription: the way to find one that n8n did not save. */
function withoutSubscription({ formerId, formerIsGone, owner }: StoredSubscription): StoredSubscription {
  return omitUndefined({ formerId, formerIsGone, owner });
}

async function headerPrefixOf(context: IHookFunctions): Promise<string> {
  return readConnection(await context.getCredentials(CREDENTIAL_NAME)).headerPrefix;
}

function isTest(context: IHookFunctions): boolean {
  return context.getActivationMode() === 'manual';
}

function webhookUrl(context: IHookFunctions): string {
  return context.getNodeWebhookUrl('default') ?? '';
}

function requirePublicUrl(context: IHookFunctions, url: string): void {
  const reason = checkWebhookUrl(url);
  if (reason === undefined) return;
  const address = URL.canParse(url) ? new URL(url).origin : url;
  throw new NodeOperationError(
    context.getNode(),
    `The service can't send events to ${address}. ${reason}`,
    // Short, as n8n cuts a long notification.
    {
      description:
        'Set N8N_WEBHOOK_URL (in older versions WEBHOOK_URL) to the public HTTPS address of n8n or of a tunnel to it, then restart n8n. ' +
        'Or use the polling trigger. To build the workflow meanwhile, turn on Send a Sample When Testing.',
    },
  );
}

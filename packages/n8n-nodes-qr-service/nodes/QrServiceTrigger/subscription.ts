import { randomUUID } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
  checkWebhookUrl,
  describeError,
  isQrServiceError,
  readHeaderPrefix,
  type QrServiceClient,
  type WebhookSubscription,
} from '../../core.ts';
import { createClient } from '../shared/transport/createClient.ts';
import { CREDENTIAL_NAME, readCredential } from '../shared/credentials.ts';
import { toNodeError } from '../shared/toNodeError.ts';
import { createAlive, remove, subscribeWith, type SubscriptionRequest } from './ensureSubscription.ts';
import { currentOwner, isSameOwner, otherOwner, type Owner } from './SubscriptionOwner.ts';
import { startSample } from './sample.ts';
import { readActivationSettings, type ActivationSettings } from './settings.ts';
import { readStored, store, type StoredSubscription } from './StoredSubscription.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';
import { triggerName } from './triggerKey.ts';

/** Activations in which n8n takes up what it already had. In all others a subscription is made anew. */
const KEEPING_MODES: readonly string[] = ['init', 'leadershipChange'];

/** Whether n8n starts again and the stored subscription can serve the workflow as it now is. */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
  if (!KEEPING_MODES.includes(context.getActivationMode())) {
    readActivationSettings(context);
    return false;
  }
  const stored = readStored(context);
  const { subscriptionId, secret, url, eventTypes } = stored;
  if (subscriptionId === undefined || secret === undefined || url !== webhookUrl(context)) return false;
  const wanted = usableSettings(context);
  if (wanted !== undefined && JSON.stringify(eventTypes) !== JSON.stringify(wanted.eventTypes)) return false;
  const owner = await usableOwner(context, url);
  if (owner !== undefined && otherOwner(stored.owner ?? owner, owner) !== undefined) return false;
  // The deliveries of the same subscription may have other headers from here on.
  const headerPrefix = (await usableHeaderPrefix(context)) ?? stored.headerPrefix;
  store(context, { ...stored, ...(headerPrefix === undefined ? {} : { headerPrefix }) });
  return true;
}

/** Undefined, with a warning, if they can't be used: the subscription stays, since nobody is there to fix them. */
function usableSettings(context: IHookFunctions): ActivationSettings | undefined {
  try {
    return readActivationSettings(context);
  } catch (error) {
    const { message, description } = toNodeError(context.getNode(), error);
    new SubscriptionLog(context).keptAsItWas(`${message} ${description ?? ''}`.trim());
    return undefined;
  }
}

/** Undefined, with a warning, if the credential's fields can't be used. */
function usableOwner(context: IHookFunctions, url: string): Promise<Owner | undefined> {
  return currentOwner(context, url).catch((error: unknown) => {
    if (!isQrServiceError(error)) throw error;
    new SubscriptionLog(context).keptAsItWas(`${describeError(error).message} Correct the credential.`);
    return undefined;
  });
}

/** Undefined, with a warning, if it can't be part of a header's name. */
async function usableHeaderPrefix(context: IHookFunctions): Promise<string | undefined> {
  const fields = await context.getCredentials(CREDENTIAL_NAME);
  try {
    return readHeaderPrefix(readCredential(fields).headerPrefix);
  } catch (error) {
    new SubscriptionLog(context).keptAsItWas(`${describeError(error).message} Correct the credential.`);
    return undefined;
  }
}

/**
 * Subscribes in place of whatever was subscribed before, and stores the id and the secret at once: n8n
 * saves them when this returns. A test that wants a sample gets one, without a subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
  const url = webhookUrl(context);
  const { eventTypes, sampleWhenTesting } = readActivationSettings(context);
  if (isTest(context) && sampleWhenTesting) {
    store(context, { secret: startSample(context, url, eventTypes) });
    return;
  }
  refuseUnreachableUrl(context, url);
  const client = await createClient(context);
  const owner = await currentOwner(context, url);
  const headerPrefix = await headerPrefixOf(context);
  const log = new SubscriptionLog(context);
  const followsLive = await removeStored(context, client, owner);
  const { formerId, formerIsGone, owner: formerOwner } = readStored(context);
  if (formerId !== undefined && formerIsGone === true) log.notFound(formerId, url);
  const request: SubscriptionRequest = {
    client,
    input: { url, eventTypes },
    owner,
    formerId: formerOwner !== undefined && isSameOwner(formerOwner, owner) ? formerId : undefined,
    followsLive,
    log,
  };
  const { id, secret } = await (isTest(context) ? createForTest(context, request) : createAlive(request));
  store(context, { subscriptionId: id, secret, url, eventTypes, headerPrefix, owner });
  log.activated();
}

/**
 * Removes the stored subscription at the service and forgets it. One that can't be removed, or is not this
 * workflow's, is named in the log with what to do; a passing failure throws, so that n8n tries again.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const stored = readStored(context);
  const { subscriptionId, url = '' } = stored;
  if (subscriptionId === undefined) {
    store(context, whatRemains(stored));
    return;
  }
  const removing = createClient(context).then(async (client) =>
    removeStored(context, client, await currentOwner(context, webhookUrl(context) || url), true),
  );
  await removing.catch((error: unknown) => {
    new SubscriptionLog(context).notYetRemoved(subscriptionId);
    throw error;
  });
  testing.delete(subscriptionId);
}

/** Subscriptions of tests, with their triggers, by ID: n8n forgets one if the same test is started again. */
const testing = new Map<string, string>();

/** A test keeps nothing, so it has nothing to find again: each makes a subscription of its own. */
async function createForTest(
  context: IHookFunctions,
  request: SubscriptionRequest,
): Promise<WebhookSubscription> {
  const trigger = `${triggerName(context)} ${JSON.stringify(request.owner)}`;
  for (const [id, other] of testing) {
    if (other !== trigger) continue;
    testing.delete(id);
    await remove(request.client, id).catch(() => request.log.notYetRemoved(id));
  }
  const made = await subscribeWith(request, randomUUID());
  testing.set(made.id, trigger);
  return made;
}

/**
 * Removes and forgets the stored subscription.
 * @param isEnd whether a proxy's refusal may pass and is worth another try; otherwise another subscription follows
 * @returns whether there was one of this very owner, alive until now
 */
async function removeStored(
  context: IHookFunctions,
  client: QrServiceClient,
  owner: Owner,
  isEnd = false,
): Promise<boolean> {
  const stored = readStored(context);
  const { subscriptionId } = stored;
  if (subscriptionId === undefined) return false;
  const log = new SubscriptionLog(context);
  const storedOwner = stored.owner ?? ownerOfEarlierVersion(stored, owner, webhookUrl(context));
  const other = otherOwner(storedOwner, owner);
  if (other !== undefined) {
    log.leftAlone(subscriptionId, other);
    store(context, whatRemains(stored));
    return false;
  }
  const isOwn = isSameOwner(storedOwner, owner);
  // Numbers may count in each workspace, so that another key removes somebody else's.
  const removal =
    isOwn || !/^\d+$/.test(subscriptionId)
      ? await remove(client, subscriptionId, isEnd).catch((error: unknown) => {
          log.notYetRemoved(subscriptionId);
          throw error;
        })
      : 'already-gone';
  if (typeof removal === 'object') log.stays(subscriptionId, removal.obstacle);
  else if (removal === 'already-gone' && !isOwn) log.ofOtherKey(subscriptionId);
  const isGone = removal === 'already-gone';
  store(
    context,
    isOwn
      ? { formerId: subscriptionId, owner, ...(isGone ? { formerIsGone: true } : {}) }
      : whatRemains(stored),
  );
  return isOwn && removal === 'removed';
}

/** An earlier version kept the URL alone. */
function ownerOfEarlierVersion({ url = '' }: StoredSubscription, owner: Owner, own: string): Owner {
  return url === own ? owner : { ...owner, address: url };
}

/** What is kept without a subscription: the way to find one that n8n did not save. */
function whatRemains({ formerId, formerIsGone, owner }: StoredSubscription): StoredSubscription {
  return {
    ...(formerId === undefined ? {} : { formerId }),
    ...(formerIsGone === undefined ? {} : { formerIsGone }),
    ...(owner === undefined ? {} : { owner }),
  };
}

async function headerPrefixOf(context: IHookFunctions): Promise<string> {
  return readCredential(await context.getCredentials(CREDENTIAL_NAME)).headerPrefix;
}

function isTest(context: IHookFunctions): boolean {
  return context.getActivationMode() === 'manual';
}

function webhookUrl(context: IHookFunctions): string {
  return context.getNodeWebhookUrl('default') ?? '';
}

function refuseUnreachableUrl(context: IHookFunctions, url: string): void {
  const reason = checkWebhookUrl(url);
  if (reason === undefined) return;
  throw new NodeOperationError(context.getNode(), `The service can't send events to ${url}. ${reason}`, {
    description:
      'The webhook needs a public HTTPS address. Three ways out: set the environment variable WEBHOOK_URL of n8n to its public address; ' +
      'run a tunnel to this n8n and set WEBHOOK_URL to its address; or use the polling trigger, which needs no public address. ' +
      'To build the workflow meanwhile, turn on the option "Send a Sample When Testing", which works at any address.',
  });
}

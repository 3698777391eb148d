import { randomUUID } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { checkWebhookUrl, type QrServiceClient, type WebhookSubscription } from '../../core.ts';
import { createClient } from '../shared/createClient.ts';
import { CREDENTIAL_NAME, readCredential } from '../shared/credentials.ts';
import { createAlive, remove, type SubscriptionRequest } from './aliveSubscription.ts';
import { currentOwner, isSameOwner, otherOwner, type Owner } from './Owner.ts';
import { refusedDeliveries, triggerName } from './RefusedDeliveries.ts';
import { startSample } from './sample.ts';
import { readActivationSettings } from './settings.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';

/** What the node keeps of its subscription, in static data. Only the life-cycle methods write it. */
export interface StoredSubscription {
  subscriptionId?: string;
  secret?: string;
  url?: string;
  eventTypes?: string[];
  headerPrefix?: string;
  /** The subscription removed last: the next one's Idempotency-Key is made from it. */
  formerId?: string;
  /** Whose these are. */
  owner?: Owner;
}

/** Activations in which n8n takes up what it already had. In all others a subscription is made anew. */
const KEEPING_MODES: readonly string[] = ['init', 'leadershipChange'];

/** Whether n8n starts again and the stored subscription can serve the workflow as it now is. */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
  const { subscriptionId, secret, url, eventTypes, owner } = storedSubscription(context);
  const wanted = readActivationSettings(context);
  if (!KEEPING_MODES.includes(context.getActivationMode())) return false;
  return (
    Boolean(subscriptionId) &&
    Boolean(secret) &&
    url === webhookUrl(context) &&
    JSON.stringify(eventTypes) === JSON.stringify(wanted.eventTypes) &&
    (owner === undefined || isSameOwner(owner, await currentOwner(context, url)))
  );
}

/**
 * Subscribes in place of whatever was subscribed before, and stores the id and the secret at once: n8n
 * saves them when this returns. A test that wants a sample gets one, without a subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
  const stored = storedSubscription(context);
  const url = webhookUrl(context);
  const { eventTypes, sampleWhenTesting } = readActivationSettings(context);
  if (isTest(context) && sampleWhenTesting) {
    stored.secret = startSample(context, url, eventTypes);
    return;
  }
  refuseUnreachableUrl(context, url);
  const client = await createClient(context);
  const owner = await currentOwner(context, url);
  const { headerPrefix } = readCredential(await context.getCredentials(CREDENTIAL_NAME));
  const followsLive = await removeStored(context, client, owner);
  const made = await create(context, {
    client,
    input: { url, eventTypes },
    owner,
    formerId: stored.owner !== undefined && isSameOwner(stored.owner, owner) ? stored.formerId : undefined,
    followsLive,
    isProven: (secret) => refusedDeliveries.isSignedWith(secret, triggerName(context), headerPrefix),
    log: new SubscriptionLog(context),
  });
  Object.assign(stored, {
    subscriptionId: made.id,
    secret: made.secret,
    url,
    eventTypes,
    headerPrefix,
    owner,
  });
  delete stored.formerId;
}

/**
 * Removes the stored subscription at the service and forgets it. One that can't be removed, or is not this
 * workflow's, is named in the log with what to do; a passing failure throws, so that n8n tries again.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const { subscriptionId, url = '' } = storedSubscription(context);
  if (subscriptionId === undefined) forget(context);
  else
    await removeStored(
      context,
      await createClient(context),
      await currentOwner(context, webhookUrl(context) || url),
    );
}

/** A test keeps nothing, so it has nothing to find again: each makes a subscription of its own. */
function create(context: IHookFunctions, request: SubscriptionRequest): Promise<WebhookSubscription> {
  if (!isTest(context)) return createAlive(request);
  return request.client.webhooks.subscribe(request.input, { idempotencyKey: randomUUID() });
}

/**
 * Removes and forgets the stored subscription.
 * @returns whether there was one of this very owner, alive until now
 */
async function removeStored(
  context: IHookFunctions,
  client: QrServiceClient,
  owner: Owner,
): Promise<boolean> {
  const stored = storedSubscription(context);
  const { subscriptionId, owner: storedOwner = owner } = stored;
  if (subscriptionId === undefined) return false;
  const log = new SubscriptionLog(context);
  const other = otherOwner(storedOwner, owner);
  if (other !== undefined) {
    log.leftAlone(subscriptionId, other);
    forget(context);
    return false;
  }
  const removal = await remove(client, subscriptionId).catch((error: unknown) => {
    log.notYetRemoved(subscriptionId);
    throw error;
  });
  const isOwn = isSameOwner(storedOwner, owner);
  if (typeof removal === 'object') log.stays(subscriptionId, removal.obstacle);
  else if (removal === 'already-gone' && !isOwn) log.notFound(subscriptionId);
  forget(context);
  if (isOwn) Object.assign(stored, { formerId: subscriptionId, owner });
  return isOwn && removal === 'removed';
}

/** Keeps the owner, whose former subscription may be known. */
function forget(context: IHookFunctions): void {
  const stored = storedSubscription(context);
  delete stored.subscriptionId;
  delete stored.secret;
  delete stored.url;
  delete stored.eventTypes;
  delete stored.headerPrefix;
}

function isTest(context: IHookFunctions): boolean {
  return context.getActivationMode() === 'manual';
}

function storedSubscription(context: IHookFunctions): StoredSubscription {
  return context.getWorkflowStaticData('node');
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

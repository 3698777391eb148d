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
  isMarkingReplays,
  keyAfter,
  removeSubscription,
  subscribeWith,
  type Removal,
  type SubscriptionRequest,
} from './ensureSubscription.ts';
import { removeNewer } from './findNewer.ts';
import { startSample } from './sample.ts';
import { readActivationSettings, type ActivationSettings } from './settings.ts';
import { isBlank, readStored, store, type StoredSubscription } from './StoredSubscription.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';
import { isKnown, nodePrint, recall, remember, type KnownSubscriptions } from './SubscriptionMemory.ts';
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
    failed.set(triggerKey(context), 'settings');
    readActivationSettings(context);
    return false;
  }
  await takeOver(context);
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

/** Resumes what this process knows, though another one may have activated the trigger since. */
async function takeOver(context: IHookFunctions): Promise<void> {
  const url = webhookUrl(context);
  const known = recall(context, url);
  if (known === undefined) return;
  remember(context, url, { ...known, isOwn: false });
  const owner = await currentOwner(context, url).catch(() => undefined);
  if (owner === undefined || recallOf(context, url, owner) === undefined) return;
  if (isKnown(known, readStored(context))) restore(context, known);
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
  const trigger = triggerKey(context);
  failed.set(trigger, 'subscribing');
  await replaceSubscription(context);
  failed.delete(trigger);
}

/** Triggers whose last activation failed, with the cause. n8n then also calls `delete`, though nothing was created. */
const failed = new Map<string, 'settings' | 'subscribing'>();

async function replaceSubscription(context: IHookFunctions): Promise<void> {
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
  const before = readStored(context);
  const lost = isBlank(before) ? recallOf(context, url, owner) : undefined;
  const outcome = lost === undefined ? await removeNewest(context, url, client, owner) : 'nothing stored';
  const { formerId, formerIsGone, owner: formerOwner, key: formerKey } = readStored(context);
  if (formerId !== undefined && formerIsGone === true) log.notFound(formerId, url);
  const isOwnFormer = formerOwner !== undefined && isSameOwner(formerOwner, owner);
  const request: SubscriptionRequest = {
    client,
    input: { url, eventTypes },
    owner,
    formerId: isOwnFormer ? formerId : undefined,
    formerKey: isOwnFormer ? formerKey : undefined,
    formerWasActive: outcome === 'removed' && formerId !== undefined,
    log,
  };
  if (isTest(context)) {
    const { id, secret } = await createForTest(context, request);
    store(context, { subscriptionId: id, secret, url, eventTypes, headerPrefix, owner });
  } else {
    const { id, secret, key } = await ensureSubscription(request);
    const marksReplays = isMarkingReplays(owner.baseUrl) || undefined;
    const created = { subscriptionId: id, secret, url, eventTypes, headerPrefix, owner, key };
    store(context, omitUndefined({ ...created, marksReplays }));
    rememberStored(context, url, before);
    if (lost !== undefined) await removeLost(client, lost, id, owner, log);
  }
  log.activated();
}

/** Removes subscriptions of which static data has lost every trace, once another one is active. */
async function removeLost(
  client: QrServiceClient,
  { newest, candidates }: KnownSubscriptions,
  activeId: string,
  owner: SubscriptionOwner,
  log: SubscriptionLog,
): Promise<void> {
  for (const { subscriptionId: id, owner: former } of [newest, ...candidates]) {
    if (id === undefined || id === activeId) continue;
    // The log names one that could not be removed.
    await removeOf(client, id, former, owner, log).catch(() => undefined);
  }
}

/** What happened to a stored subscription. One that was removed was active until now. */
type Outcome = 'removed' | 'already-gone' | 'stays' | 'nothing stored';

/** Removes the stored subscription or, if n8n wrote old static data back, the newest that this process knows. */
async function removeNewest(
  context: IHookFunctions,
  url: string,
  client: QrServiceClient,
  owner: SubscriptionOwner,
  isFinal = false,
): Promise<Outcome> {
  const known = recallOf(context, url, owner);
  const log = new SubscriptionLog(context);
  for (const { subscriptionId = '', owner: former } of known?.candidates ?? [])
    await removeOf(client, subscriptionId, former, owner, log);
  if (known !== undefined && isKnown(known, readStored(context))) restore(context, known);
  else {
    const outcome = await removeStored(context, client, owner, isFinal);
    if (outcome === 'removed' || known?.newest.subscriptionId === undefined) return outcome;
    store(context, known.newest);
  }
  return removeStored(context, client, owner, isFinal);
}

/** What this process knows about the owner's subscriptions. */
function recallOf(
  context: IHookFunctions,
  url: string,
  owner: SubscriptionOwner,
): KnownSubscriptions | undefined {
  const known = recall(context, url);
  const other = known?.newest.owner;
  return other !== undefined && describeOtherOwner(other, owner) === undefined ? known : undefined;
}

/** Corrects static data that n8n wrote back. */
function restore(context: IHookFunctions, { newest }: KnownSubscriptions): void {
  const stored = readStored(context);
  const isNewest = stored.subscriptionId !== undefined && stored.subscriptionId === newest.subscriptionId;
  store(context, { ...newest, ...(isNewest ? stored : {}), ...omitUndefined({ key: newest.key }) });
}

/**
 * Remembers what was just stored as the newest.
 * @param before what was stored until now
 */
function rememberStored(context: IHookFunctions, url: string, before: StoredSubscription): void {
  const { newest: former, formers = [] } = recall(context, url) ?? {};
  const newest = readStored(context);
  const ids = [before, former, newest].flatMap((data) => [data?.subscriptionId, data?.formerId]);
  remember(context, url, {
    newest,
    isOwn: true,
    print: nodePrint(context),
    formers: new Set(
      [...formers, ...ids].flatMap((id) => (id === undefined || id === newest.subscriptionId ? [] : id)),
    ),
    candidates: [],
  });
}

/**
 * Removes the stored subscription at the service and forgets it. If it can't be removed or isn't this workflow's,
 * the log tells users so and what to do. A temporary failure throws, so that n8n retries.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const failure = failed.get(triggerKey(context));
  failed.delete(triggerKey(context));
  const url = webhookUrl(context);
  const stored = readStored(context);
  const { subscriptionId, secret } = stored;
  const isKnownHere = recall(context, url) !== undefined;
  const hasNone = failure === 'settings' || (failure === 'subscribing' && !isKnownHere);
  // A sample has a secret alone.
  if (subscriptionId === undefined && (secret !== undefined || hasNone)) {
    store(context, withoutSubscription(stored));
    return;
  }
  await remove(context, url, failure !== undefined).catch((error: unknown) => {
    if (subscriptionId !== undefined) new SubscriptionLog(context).removalFailed(subscriptionId);
    throw error;
  });
  if (subscriptionId !== undefined) testSubscriptions.delete(subscriptionId);
}

/** Removes the newest subscription, which n8n may have replaced by an older one in static data. */
async function remove(context: IHookFunctions, url: string, hasFailed: boolean): Promise<void> {
  const before = readStored(context);
  const isTestSubscription = testSubscriptions.has(before.subscriptionId ?? '');
  const client = await createClient(context);
  const owner = await currentOwner(context, url || (before.url ?? ''));
  const outcome = await removeNewest(context, url, client, owner, true);
  // What stays may be removed by another activation, so it isn't known as a former one.
  if (isTestSubscription || outcome === 'stays') return;
  if (outcome !== 'removed' && !hasFailed) await removeUnknown(context, url, client, owner);
  rememberStored(context, url, before);
}

/**
 * Removes a subscription that is newer than what was stored, if there can be one: the stored one was gone, and this
 * process did not activate the trigger itself.
 */
async function removeUnknown(
  context: IHookFunctions,
  url: string,
  client: QrServiceClient,
  owner: SubscriptionOwner,
): Promise<void> {
  if (recall(context, url)?.isOwn === true || checkWebhookUrl(url) !== undefined) return;
  const { formerId, owner: formerOwner, key, ...stored } = readStored(context);
  // It may still be there, under the API key or in the workflow that created it.
  if (formerOwner !== undefined && !isSameOwner(formerOwner, owner)) return;
  const settings = settingsOfRemoval(context, url);
  if (settings === undefined) return;
  const request = {
    client,
    input: { url, eventTypes: settings.eventTypes },
    owner,
    formerId: undefined,
    formerWasActive: false,
    log: new SubscriptionLog(context),
  };
  const removed = await removeNewer(request, keyAfter(owner, formerId, key));
  if (removed === undefined) return;
  const marksReplays = stored.marksReplays ?? (isMarkingReplays(owner.baseUrl) || undefined);
  store(context, omitUndefined({ formerId: removed.id, owner, key: removed.key, marksReplays }));
}

/** Undefined, with a warning, if they aren't valid any more: unpublishing must not fail because of them. */
function settingsOfRemoval(context: IHookFunctions, url: string): ActivationSettings | undefined {
  try {
    return readActivationSettings(context);
  } catch {
    new SubscriptionLog(context).mayBeOrphaned(url, "The trigger's settings aren't valid");
    return undefined;
  }
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
 */
async function removeStored(
  context: IHookFunctions,
  client: QrServiceClient,
  owner: SubscriptionOwner,
  isFinal = false,
): Promise<Outcome> {
  const stored = readStored(context);
  const { subscriptionId } = stored;
  if (subscriptionId === undefined) return 'nothing stored';
  const log = new SubscriptionLog(context);
  const storedOwner = stored.owner ?? ownerOfEarlierVersion(stored, owner, webhookUrl(context));
  const other = describeOtherOwner(storedOwner, owner);
  if (other !== undefined) {
    log.leftInPlace(subscriptionId, other);
    store(context, withoutSubscription(stored));
    return 'stays';
  }
  const isOwn = isSameOwner(storedOwner, owner);
  const removal = await removeOf(client, subscriptionId, storedOwner, owner, log, isFinal);
  const isGone = removal === 'already-gone';
  store(
    context,
    isOwn
      ? omitUndefined({
          formerId: subscriptionId,
          owner,
          formerIsGone: isGone || undefined,
          key: stored.key,
          marksReplays: stored.marksReplays,
        })
      : withoutSubscription(stored),
  );
  return typeof removal === 'object' ? 'stays' : removal;
}

/** Removes a subscription of this trigger. If it stays, the log explains why. */
async function removeOf(
  client: QrServiceClient,
  id: string,
  former: SubscriptionOwner | undefined,
  owner: SubscriptionOwner,
  log: SubscriptionLog,
  isFinal = false,
): Promise<Removal> {
  const isOwn = former !== undefined && isSameOwner(former, owner);
  // Numeric IDs may be per workspace, so another key could remove someone else's subscription.
  const mayBeForeign = !isOwn && /^\d+$/.test(id);
  const removal = mayBeForeign
    ? 'already-gone'
    : await removeSubscription(client, id, isFinal).catch((error: unknown) => {
        log.removalFailed(id);
        throw error;
      });
  if (typeof removal === 'object') log.notRemovable(id, removal.obstacle);
  else if (removal === 'already-gone' && !isOwn) log.createdWithOtherKey(id);
  return removal;
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
function withoutSubscription(stored: StoredSubscription): StoredSubscription {
  const { formerId, formerIsGone, owner, key, marksReplays } = stored;
  return omitUndefined({ formerId, formerIsGone, owner, key, marksReplays });
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
        'Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to the public HTTPS address of n8n or of a tunnel to it, then restart n8n. ' +
        'Or use the polling trigger. To keep building the workflow, turn on Send a Sample When Testing.',
    },
  );
}

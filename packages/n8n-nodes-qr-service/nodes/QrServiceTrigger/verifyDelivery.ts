import type { IWebhookFunctions, Workflow } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import {
  checkWebhookUrl,
  describeError,
  isWebhookVerificationError,
  omitUndefined,
  readConnection,
  type VerifiedDelivery,
} from '../../core.ts';
import { CREDENTIAL_NAME } from '../shared/credentials.ts';
import { createClient } from '../shared/transport/createClient.ts';
import { RequestThrottle } from './RequestThrottle.ts';
import { isMarkingReplays, keyAfter, nextKey, type CreatedSubscription } from './ensureSubscription.ts';
import { findNewer } from './findNewer.ts';
import { readActivationSettings } from './settings.ts';
import { isBlank, type StoredSubscription } from './StoredSubscription.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';
import { isKnown, nodePrint, recall, remember, type KnownSubscriptions } from './SubscriptionMemory.ts';
import { currentOwner, isSameOwner } from './SubscriptionOwner.ts';
import { triggerKey } from './triggerKey.ts';

/** How long a delivery waits for the service, in milliseconds. After that, its redelivery benefits from the response. */
const WAIT_MS = 5000;
/** Of more replayed subscriptions than this, the oldest are dropped: each costs every invalid delivery some time. */
const MAX_CANDIDATES = 20;

const throttle = new RequestThrottle();
/** Requests to the service that are under way, by trigger. */
const requests = new Map<string, Promise<void>>();

/** A genuine delivery, and the subscription that it belongs to. */
export interface GenuineDelivery {
  delivery: VerifiedDelivery;
  subscription: StoredSubscription;
}

/** Verifies a delivery with a subscription's secret. Throws WebhookVerificationError. */
export type Verify = (subscription: StoredSubscription) => VerifiedDelivery;

/**
 * Verifies a delivery with the trigger's newest secret: the stored one or, if n8n wrote old static data back, the one
 * that this process remembers. If neither matches, a newer one is requested from the service, within limits. Writes no static
 * data.
 * @returns 'undecided' if the service hasn't responded in time
 * @throws WebhookVerificationError if the delivery isn't genuine
 */
export async function verifyDelivery(
  context: IWebhookFunctions,
  stored: StoredSubscription,
  verify: Verify,
): Promise<GenuineDelivery | 'undecided'> {
  // A test's static data is in memory, where nothing overwrites it.
  if (context.getMode() === 'manual') return { delivery: verify(stored), subscription: stored };
  const trigger = { context, url: context.getNodeWebhookUrl('default') ?? '', stored, verify };
  const first = verifyWithKnown(trigger);
  if (!('failure' in first)) return first;
  if (!isUnexplained(first.failure)) throw first.failure;
  if (!(await requestInTime(trigger))) return 'undecided';
  const second = verifyWithKnown(trigger);
  if ('failure' in second) throw second.failure;
  return second;
}

/** A trigger with a delivery to it. */
interface Trigger {
  context: IWebhookFunctions;
  /** The production webhook URL. */
  url: string;
  stored: StoredSubscription;
  verify: Verify;
}

/** Whether another secret could verify the delivery. */
function isUnexplained(error: unknown): boolean {
  return (
    isWebhookVerificationError(error) &&
    (error.reason === 'signature_mismatch' || error.reason === 'missing_secret')
  );
}

function verifyWithKnown({ context, url, stored, verify }: Trigger): GenuineDelivery | Failure {
  const known = recall(context, url);
  let mismatch: Failure | undefined;
  for (const subscription of accepted(stored, known)) {
    const outcome = tryToVerify(verify, subscription);
    if ('failure' in outcome) {
      if (!isUnexplained(outcome.failure)) return outcome;
      mismatch ??= outcome;
      continue;
    }
    if (known?.candidates.includes(subscription) === true) confirm(context, url, known, subscription);
    if (subscription.secret !== stored.secret) new SubscriptionLog(context).oldDataStored(stored);
    return outcome;
  }
  return mismatch ?? tryToVerify(verify, {});
}

/** Why a delivery was refused. */
interface Failure {
  failure: unknown;
}

function tryToVerify(verify: Verify, subscription: StoredSubscription): GenuineDelivery | Failure {
  try {
    return { delivery: verify(subscription), subscription };
  } catch (failure) {
    return { failure };
  }
}

/** The subscriptions whose deliveries are accepted. One that is known to be replaced isn't among them. */
function accepted(stored: StoredSubscription, known: KnownSubscriptions | undefined): StoredSubscription[] {
  if (known === undefined || !isKnown(known, stored)) return [stored];
  const { newest, candidates } = known;
  const isNewest = stored.subscriptionId === newest.subscriptionId && stored.secret !== undefined;
  return [isNewest ? stored : newest, ...candidates];
}

/** A delivery matches this candidate, so it is the newest. */
function confirm(
  context: IWebhookFunctions,
  url: string,
  { newest, candidates, formers }: KnownSubscriptions,
  active: StoredSubscription,
): void {
  const replaced = [newest, ...candidates].filter((other) => other !== active);
  remember(context, url, {
    newest: active,
    isOwn: false,
    print: nodePrint(context),
    formers: new Set([...formers, ...replaced.flatMap(({ subscriptionId }) => subscriptionId ?? [])]),
    candidates: [],
  });
}

/** Requests newer subscriptions, if that can help and is allowed now. Returns whether the request has ended. */
async function requestInTime(trigger: Trigger): Promise<boolean> {
  const { context, url, stored } = trigger;
  const key = `${triggerKey(context)} ${url}`;
  let request = requests.get(key);
  if (request === undefined) {
    const known = recall(context, url);
    if (!mayBeOld(trigger) || (known !== undefined && isUpToDate(trigger, known))) return true;
    const situation = JSON.stringify([stored.subscriptionId, nodePrint(context)]);
    if (!throttle.allows(key, situation)) return true;
    request = requestNewer(trigger, known)
      .catch((error: unknown) => {
        new SubscriptionLog(context).newestNotFound(describeError(error).message);
      })
      .finally(() => requests.delete(key));
    requests.set(key, request);
  }
  const wait = new AbortController();
  const late = sleep(WAIT_MS, wait.signal).then(
    () => false,
    () => true,
  );
  return Promise.race([request.then(() => true), late]).finally(() => wait.abort());
}

/** Whether static data can be older than the newest subscription. Otherwise, only forged deliveries don't match. */
function mayBeOld({ context, stored }: Trigger): boolean {
  if (stored.secret === undefined || hasOtherTrigger(context)) return true;
  try {
    return JSON.stringify(readActivationSettings(context).eventTypes) !== JSON.stringify(stored.eventTypes);
  } catch {
    return true;
  }
}

/**
 * Whether another trigger in the workflow may write static data back. n8n's contexts contain the workflow, though their public
 * type does not: where it can't be seen, there may be one.
 */
function hasOtherTrigger(context: IWebhookFunctions): boolean {
  const { workflow } = context as { workflow?: Partial<Pick<Workflow, 'getPollNodes' | 'getTriggerNodes'>> };
  // This node is neither: n8n calls its webhook.
  return workflow?.getPollNodes?.().length !== 0 || workflow.getTriggerNodes?.().length !== 0;
}

/** Whether this process activated the trigger last. Otherwise another one may have done so. */
function isUpToDate({ context, stored }: Trigger, known: KnownSubscriptions): boolean {
  const { isOwn, newest, print } = known;
  return isOwn && newest.secret !== undefined && isKnown(known, stored) && print === nodePrint(context);
}

/** Remembers which subscriptions the service knows beyond those known here. */
async function requestNewer(
  { context, url, stored, verify }: Trigger,
  known: KnownSubscriptions | undefined,
): Promise<void> {
  if (checkWebhookUrl(url) !== undefined) return;
  // Read now: n8n evaluates no expressions once it has responded.
  const { eventTypes } = readActivationSettings(context);
  const print = nodePrint(context);
  const { headerPrefix } = readConnection(await context.getCredentials(CREDENTIAL_NAME));
  const owner = await currentOwner(context, url);
  // The service replays only to the API key that created the subscription.
  if (stored.owner !== undefined && !isSameOwner(stored.owner, owner)) return;

  const before = known !== undefined && isKnown(known, stored) ? known : undefined;
  const newest = before?.newest ?? stored;
  // Without marks, a subscription created here by mistake could not be distinguished from the active one, and would stay.
  // Where no trace is left, a single request shows whether it does.
  const isOnlyRequest = isBlank(newest) && before?.lastTried === undefined;
  if (!isOnlyRequest && newest.marksReplays !== true && !isMarkingReplays(owner.baseUrl)) return;
  const key =
    before?.lastTried === undefined
      ? keyAfter(owner, newest.subscriptionId ?? newest.formerId, newest.key)
      : nextKey(before.lastTried);
  const toStored = ({ id, secret, key: own }: CreatedSubscription): StoredSubscription => {
    const created = { subscriptionId: id, secret, url, eventTypes, headerPrefix, owner, key: own };
    return omitUndefined({ ...created, marksReplays: isMarkingReplays(owner.baseUrl) || undefined });
  };
  const request = {
    client: await createClient(context),
    input: { url, eventTypes },
    owner,
    formerId: undefined,
    formerWasActive: false,
    log: new SubscriptionLog(context),
  };
  const current = [newest, ...(before?.candidates ?? [])];
  const { found, lastTried } = await findNewer(
    request,
    key,
    (subscription) => {
      const outcome = tryToVerify(verify, toStored(subscription));
      return !('failure' in outcome) || !isUnexplained(outcome.failure);
    },
    (id) => current.some(({ subscriptionId }) => subscriptionId === id),
  );
  // The trigger may have been activated meanwhile.
  if (recall(context, url) !== known) return;
  const candidates = [...(before?.candidates ?? []), ...found.map(toStored)].slice(-MAX_CANDIDATES);
  remember(context, url, {
    newest: candidates.length === 0 ? { ...newest, key: lastTried } : newest,
    isOwn: false,
    print,
    formers: known?.formers ?? new Set(),
    candidates,
    lastTried,
  });
}

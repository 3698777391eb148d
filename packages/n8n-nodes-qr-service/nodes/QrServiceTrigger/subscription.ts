import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
  checkWebhookUrl,
  describeError,
  isApiError,
  isQrServiceError,
  omitUndefined,
  sentence,
} from '../../core.ts';
import { toNodeError } from '../shared/toNodeError.ts';
import { removeKnown } from './removal.ts';
import { startSample } from './sample.ts';
import { readActivationSettings } from './settings.ts';
import { isRemovable, store } from './StoredSubscription.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';
import { knownSubscriptions, newestSubscription, rememberNewest } from './SubscriptionMemory.ts';
import { triggerOf, webhookUrl } from './Trigger.ts';

/** Activations in which n8n resumes what it already had. All others create a new subscription. */
const RESUMING_MODES: readonly string[] = ['init', 'leadershipChange'];

/** Whether n8n is restarting and the stored subscription still fits the workflow. */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
  if (!RESUMING_MODES.includes(context.getActivationMode())) return false;
  const url = webhookUrl(context);
  const stored = newestSubscription(context, url);
  if (!isRemovable(stored) || stored.secret === undefined || stored.url !== url) return false;
  const wanted = await usable(context, () => readActivationSettings(context));
  if (wanted !== undefined && JSON.stringify(stored.eventTypes) !== JSON.stringify(wanted.eventTypes))
    return false;
  // Deliveries of the same subscription may have other headers from now on.
  const headerPrefix = await usable(context, async () => (await triggerOf(context)).headerPrefix);
  store(context, { ...stored, ...omitUndefined({ headerPrefix }) });
  return true;
}

/** Undefined, with a warning, if a setting isn't valid: the subscription stays, since nobody is there to fix it. */
async function usable<Value>(
  context: IHookFunctions,
  read: () => Value | Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    const isCredential = isQrServiceError(error) && error.code === 'invalid_input';
    const { message, description } = toNodeError(context.getNode(), error);
    const advice = isCredential ? 'Correct the credential.' : (description ?? '');
    new SubscriptionLog(context).keptUnchanged(`${sentence(message)} ${advice}`.trim());
    return undefined;
  }
}

/**
 * Removes the subscriptions that are known, then creates one, even if one can't be removed: it would keep the workflow from
 * being published. Stores the ID and secret at once: n8n saves them when this returns. A test with the sample option gets a
 * sample instead of a subscription.
 * @throws ParameterError, NodeOperationError, QrServiceError
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
  const url = webhookUrl(context);
  const { eventTypes, sampleType } = readActivationSettings(context);
  const isTest = context.getActivationMode() === 'manual' ? (true as const) : undefined;
  if (isTest && sampleType !== undefined) {
    store(context, { secret: await startSample(context, url, sampleType), isTest });
    return;
  }
  requirePublicUrl(context, url);
  const trigger = await triggerOf(context);
  const { client, owner, headerPrefix, log } = trigger;
  const left = await removeKnown(trigger);
  const { id, secret } = await client.webhooks.subscribe({ url, eventTypes }).catch((error: unknown) => {
    if (isQrServiceError(error) && error.isUnconfirmed === true) log.mayExist(url);
    throw error;
  });
  log.created(id);
  // A service may give the same ID to all subscriptions of a URL.
  for (const leftover of left) if (leftover.id !== id) leftover.log();
  const subscription = { subscriptionId: id, secret, url, eventTypes, headerPrefix, owner, isTest };
  rememberNewest(context, url, omitUndefined(subscription));
  store(context, omitUndefined(subscription));
  log.activated();
}

/**
 * Removes what is known at the service and forgets it.
 * @throws temporary failures, so that n8n tries again
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const url = webhookUrl(context);
  const known = knownSubscriptions(context, url);
  if (known.length > 0) {
    const trigger = await triggerOf(context).catch((error: unknown) => {
      for (const { subscriptionId } of known)
        new SubscriptionLog(context).removalFailed(subscriptionId, describeError(error).message);
      throw error;
    });
    const left = await removeKnown(trigger);
    for (const leftover of left) leftover.log();
    const failures = left.map(({ error }) => error).filter((error) => error !== undefined);
    // A page for a missing route would come at each try, so n8n isn't asked for another.
    const failure = failures.find((error) => !isApiError(error) || error.retryable);
    if (failure !== undefined) throw failure as Error;
    // The next publication tries again.
    if (failures.length > 0) return;
  }
  store(context, {});
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

import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import {
  checkWebhookUrl,
  describeError,
  idempotencyKeyFrom,
  isApiError,
  isQrServiceError,
} from '../../deps.ts';
import { connect } from '../platform/client.ts';
import { requireOwnWorkflow } from '../platform/errors.ts';
import { startSample } from './sample.ts';
import { readSettings } from './settings.ts';

/** What static data holds about the subscription. Only the life-cycle methods write it. */
interface StoredSubscription {
  subscriptionId: string;
  secret: string;
  /** Where it delivers to. */
  url: string;
  /** Who created it: an imported or copied workflow may hold the subscription of another one. */
  owner: string;
}

/** The stored subscription; nothing if there is none. A test with a sample only has a secret. */
export function storedSubscription(context: IHookFunctions | IWebhookFunctions): Partial<StoredSubscription> {
  return context.getWorkflowStaticData('node');
}

/** Whether n8n is starting and has a subscription for its URL. */
export function isSubscribed(context: IHookFunctions): boolean {
  return isStarting(context) && storedSubscription(context).url === webhookUrl(context);
}

/**
 * Creates a subscription, or in a test sends a sample, and stores the secret at once. If a person publishes, the stored one is
 * removed first; a failure to remove it is only logged. If n8n is starting, it stays: this may be a copy of its n8n.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
  const { eventTypes, sampleType } = readSettings(context);
  const url = webhookUrl(context);
  const isTest = context.getActivationMode() === 'manual';
  if (isTest && sampleType !== undefined) {
    store(context, { secret: await startSample(context, url, sampleType) });
    return;
  }
  requirePublicUrl(context, url);
  if (!isTest) requireOwnWorkflow(context, (workflow) => workflow.getPollNodes?.()[0]);
  const { client } = await connect(context);
  if (isStarting(context)) warnNotRemoved(context, 'n8n was started at another URL');
  else await removeStored(context).catch(() => undefined);
  const { id, secret } = await client.webhooks.subscribe({ url, eventTypes }).catch((error: unknown) => {
    if (isQrServiceError(error) && error.isUnconfirmed === true)
      warn(context, `There may be a webhook subscription for ${url} that n8n doesn't know about`);
    throw error;
  });
  // If n8n stops before it has saved the subscription, this line is its only trace.
  context.logger.info(`Created the webhook subscription ${id} for ${workflowName(context)}.`);
  store(context, { subscriptionId: id, secret, url, owner: ownerOf(context) });
}

/** Removes the stored subscription, unless it is for another URL: n8n also calls this after it could not start a workflow. */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const { subscriptionId, url } = storedSubscription(context);
  if (subscriptionId !== undefined && url !== webhookUrl(context))
    warnNotRemoved(context, 'it delivers to another URL');
  else await removeStored(context);
}

/** Removes the stored subscription at the service and forgets it. If it may stay there, the log names it. */
async function removeStored(context: IHookFunctions): Promise<void> {
  const { subscriptionId: id, owner } = storedSubscription(context);
  if (owner !== ownerOf(context)) warnNotRemoved(context, 'another workflow or n8n instance created it');
  else if (id !== undefined) {
    const removal = connect(context).then(({ client }) => client.webhooks.unsubscribe(id));
    const outcome = await removal.catch((error: unknown) => {
      warnNotRemoved(context, describeError(error).message);
      if (isApiError(error) && !error.retryable) return 'refused';
      throw error;
    });
    if (outcome === 'unsupported') warnNotRemoved(context, 'the service has no way to remove it');
    if (outcome === 'already-gone')
      warnNotRemoved(context, 'the service has none with this ID for this API key');
  }
  store(context, {});
}

/** Names the stored subscription, if there is one, in n8n's log. */
function warnNotRemoved(context: IHookFunctions, reason: string): void {
  const { subscriptionId: id, url } = storedSubscription(context);
  if (id !== undefined)
    warn(context, `The webhook subscription ${id} for ${url ?? 'an unknown URL'} was not removed: ${reason}`);
}

/** n8n has no place in the editor for what a trigger has to say, except for errors. */
function warn(context: IHookFunctions, fact: string): void {
  const advice = "If the service's app lists it and it isn't used, remove it there.";
  context.logger.warn(`${fact.replace(/\.$/, '')} (${workflowName(context)}). ${advice}`);
}

function workflowName(context: IHookFunctions): string {
  const { name, id } = context.getWorkflow();
  return `the workflow "${name ?? id ?? ''}"`;
}

function store(context: IHookFunctions, next: Partial<StoredSubscription>): void {
  const data: Record<string, unknown> = context.getWorkflowStaticData('node');
  for (const key of Object.keys(data)) Reflect.deleteProperty(data, key);
  Object.assign(data, next);
}

/** A hash: neither the instance's ID nor the workflow's can be read from it. */
function ownerOf(context: IHookFunctions): string {
  return idempotencyKeyFrom([context.getInstanceId(), context.getWorkflow().id, context.getNode().id]);
}

/** Whether n8n starts and resumes what it had. In all other activations, a person publishes or tests. */
function isStarting(context: IHookFunctions): boolean {
  return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

function webhookUrl(context: IHookFunctions): string {
  return context.getNodeWebhookUrl('default') ?? '';
}

function requirePublicUrl(context: IHookFunctions, url: string): void {
  const reason = checkWebhookUrl(url);
  if (reason === undefined) return;
  const address = URL.canParse(url) ? new URL(url).origin : url;
  const message = `The service can't send events to ${address}. ${reason}`;
  // Short, as n8n cuts a long notification.
  const description =
    'Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to the public HTTPS URL of n8n or of a tunnel to it, then restart n8n. ' +
    'Or use the polling trigger. To keep building the workflow, add the option Send a Sample When Testing.';
  throw new NodeOperationError(context.getNode(), message, { description });
}

import { randomUUID } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
  checkWebhookUrl,
  idempotencyKeyFrom,
  isApiError,
  type QrServiceClient,
  type WebhookSubscription,
  type WebhookSubscriptionInput,
} from '../../core.ts';
import { createClient } from '../shared/createClient.ts';
import { CREDENTIAL_NAME, readCredential } from '../shared/credentials.ts';
import { startSample } from './sample.ts';
import { readActivationSettings } from './settings.ts';

/** What the node keeps of its subscription, in static data. Only the life-cycle methods write it. */
export interface StoredSubscription {
  subscriptionId?: string;
  secret?: string;
  url?: string;
  eventTypes?: string[];
  headerPrefix?: string;
  /** The subscription removed last: the next one's Idempotency-Key is made from it. */
  formerId?: string;
}

/** Whether the stored subscription can serve the workflow as it now is; one whose secret is lost can't. */
export function isSubscribed(context: IHookFunctions): boolean {
  const wanted = readActivationSettings(context);
  const { subscriptionId, secret, url, eventTypes } = storedSubscription(context);
  return (
    Boolean(subscriptionId) &&
    Boolean(secret) &&
    url === webhookUrl(context) &&
    JSON.stringify(eventTypes) === JSON.stringify(wanted.eventTypes)
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
  await unsubscribe(context);

  const client = await createClient(context);
  const { headerPrefix } = readCredential(await context.getCredentials(CREDENTIAL_NAME));
  const { id, secret } = await create(client, { url, eventTypes }, owner(context), stored.formerId);
  Object.assign(stored, { subscriptionId: id, secret, url, eventTypes, headerPrefix });
  delete stored.formerId;
}

/**
 * Removes the stored subscription at the service and forgets it. One that the service does not let the key
 * remove is named in the log with what to do; a passing failure throws, so that n8n tries again.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const stored = storedSubscription(context);
  const { subscriptionId, url = '' } = stored;
  if (subscriptionId !== undefined) {
    const client = await createClient(context);
    const obstacle = await client.webhooks
      .unsubscribe(subscriptionId)
      .then(
        (result) => (result === 'unsupported' ? 'the service offers no way to remove it' : undefined),
        lastingObstacle,
      );
    if (obstacle === undefined) removedHere.add(url, subscriptionId);
    else logOrphan(context, subscriptionId, obstacle);
    stored.formerId = subscriptionId;
  }
  delete stored.subscriptionId;
  delete stored.secret;
  delete stored.url;
  delete stored.eventTypes;
  delete stored.headerPrefix;
}

/** The subscriptions removed by this process, the latest thousand. */
const removedHere = {
  ids: new Set<string>(),
  add(url: string, id: string): void {
    const [oldest] = this.ids;
    if (this.ids.size === 1000 && oldest !== undefined) this.ids.delete(oldest);
    this.ids.add(`${url} ${id}`);
  },
  has(url: string, id: string): boolean {
    return this.ids.has(`${url} ${id}`);
  },
};

/**
 * Asks for a subscription under a key that is the same until one was removed. n8n saves static data only
 * after it is made; when that fails (a crash, a lost answer, another trigger of the workflow that can't be
 * activated) the next activation asks the same again and is given the same subscription with its secret.
 * Should static data be lost instead, the service would repeat its answer about one removed by now: such an
 * answer is known by its id, and what was removed makes the next key.
 */
async function create(
  client: QrServiceClient,
  input: WebhookSubscriptionInput,
  owner: string,
  formerId: string | undefined,
): Promise<WebhookSubscription> {
  const idempotencyKey = idempotencyKeyFrom([owner, formerId ?? null, input.url, input.eventTypes]);
  const made = await client.webhooks.subscribe(input, { idempotencyKey }).catch((error: unknown) => {
    // A refusal may be repeated, too: of a day ago, before its cause was put right. Nothing was made then.
    if (isApiError(error) && !error.retryable) return client.webhooks.subscribe(input);
    throw error;
  });
  if (made.id === formerId || !removedHere.has(input.url, made.id)) return made;
  return create(client, input, owner, made.id);
}

/** Where static data is kept, by workflow and node name; a test's own is thrown away, so each test differs. */
function owner(context: IHookFunctions): string {
  return isTest(context) ? randomUUID() : `${context.getWorkflow().id ?? ''}/${context.getNode().name}`;
}

function isTest(context: IHookFunctions): boolean {
  return context.getActivationMode() === 'manual';
}

/** Why trying again would not help; throws what may pass, a proxy's refusal among it. */
function lastingObstacle(error: unknown): string {
  if (isApiError(error) && !error.retryable && error.intermediary === undefined)
    return `the service refused with ${error.code}`;
  throw error;
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

function logOrphan(context: IHookFunctions, subscriptionId: string, reason: string): void {
  const { name, id } = context.getWorkflow();
  context.logger.warn(
    `The webhook subscription ${subscriptionId} could not be removed: ${reason}. ` +
      `It still sends events to the workflow "${name ?? id ?? ''}", which no longer listens. Remove it in the service's app.`,
  );
}

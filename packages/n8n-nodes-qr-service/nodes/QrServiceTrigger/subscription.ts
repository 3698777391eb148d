import { randomUUID } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { checkWebhookUrl, idempotencyKeyFrom, isApiError } from '../../core.ts';
import { createClient } from '../shared/createClient.ts';
import { CREDENTIAL_NAME, type QrServiceCredentials } from '../shared/credentials.ts';
import { chosenEventTypes } from './events.ts';

/** What the node keeps of its subscription, in static data. Only the life-cycle methods write it. */
export interface StoredSubscription {
  subscriptionId?: string;
  secret?: string;
  url?: string;
  eventTypes?: string[];
  headerPrefix?: string;
  /** Makes the Idempotency-Key of an attempt to subscribe whose answer was never seen. */
  seed?: string;
}

/** Whether the stored subscription can serve the workflow as it now is; one whose secret is lost can't. */
export function isSubscribed(context: IHookFunctions): boolean {
  const { subscriptionId, secret, url, eventTypes } = storedSubscription(context);
  return (
    Boolean(subscriptionId) &&
    Boolean(secret) &&
    url === webhookUrl(context) &&
    JSON.stringify(eventTypes) === JSON.stringify(wantedEventTypes(context))
  );
}

/**
 * Subscribes in place of whatever was subscribed before, and stores the id and the secret at once: n8n
 * calls `unsubscribe` with the same static data when anything after this fails.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
  const stored = storedSubscription(context);
  const url = webhookUrl(context);
  const eventTypes = wantedEventTypes(context);
  refuseUnreachableUrl(context, url);
  await unsubscribe(context);

  const client = await createClient(context);
  const { headerPrefix } = await context.getCredentials<QrServiceCredentials>(CREDENTIAL_NAME);
  stored.seed ??= randomUUID();
  const idempotencyKey = idempotencyKeyFrom([stored.seed, url, eventTypes]);
  const { id, secret } = await client.webhooks.subscribe({ url, eventTypes }, { idempotencyKey });
  Object.assign(stored, { subscriptionId: id, secret, url, eventTypes, headerPrefix });
  delete stored.seed;
}

/**
 * Removes the stored subscription at the service and forgets it. One that the service does not let the key
 * remove is named in the log with what to do; a passing failure throws, so that n8n tries again.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
  const stored = storedSubscription(context);
  const { subscriptionId } = stored;
  if (subscriptionId === undefined) return;
  const client = await createClient(context);
  const obstacle = await client.webhooks
    .unsubscribe(subscriptionId)
    .then(
      (result) => (result === 'unsupported' ? 'the service offers no way to remove it' : undefined),
      lastingObstacle,
    );
  if (obstacle !== undefined) logOrphan(context, subscriptionId, obstacle);
  delete stored.subscriptionId;
  delete stored.secret;
  delete stored.url;
  delete stored.eventTypes;
  delete stored.headerPrefix;
}

/** Why trying again would not help; throws what may pass. */
function lastingObstacle(error: unknown): string {
  if (isApiError(error) && !error.retryable) return `the service refused with ${error.code}`;
  throw error;
}

function storedSubscription(context: IHookFunctions): StoredSubscription {
  return context.getWorkflowStaticData('node');
}

function wantedEventTypes(context: IHookFunctions): string[] {
  const eventTypes = chosenEventTypes(context.getNodeParameter('events', []) as string[]);
  if (eventTypes.length > 0) return eventTypes;
  throw new NodeOperationError(context.getNode(), 'No event is chosen.', {
    description: 'Choose at least one under Events.',
  });
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
      'run a tunnel to this n8n and set WEBHOOK_URL to its address; or use the polling trigger, which needs no public address.',
  });
}

function logOrphan(context: IHookFunctions, subscriptionId: string, reason: string): void {
  const { name, id } = context.getWorkflow();
  context.logger.warn(
    `The webhook subscription ${subscriptionId} could not be removed: ${reason}. ` +
      `It still sends events to the workflow "${name ?? id ?? ''}", which no longer listens. Remove it in the service's app.`,
  );
}

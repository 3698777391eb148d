import { createHash } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData, Workflow } from 'n8n-workflow';
import {
  omitUndefined,
  eventRow,
  isWebhookVerificationError,
  verifyWebhook,
  type VerifiedDelivery,
  type WireHeaders,
} from '../../core.ts';
import { EventDeduplicator, type DeliveryResponse } from './EventDeduplicator.ts';
import { LogThrottle } from './LogThrottle.ts';
import { readDeliverySettings } from './settings.ts';
import { readStored, type StoredSubscription } from './StoredSubscription.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';
import { newestSubscription } from './SubscriptionMemory.ts';
import { triggerKey } from './triggerKey.ts';

/** The part of n8n's (Express's) request and response that is used here. */
interface WebhookRequest {
  rawBody?: Buffer;
  headers: WireHeaders;
  readRawBody?: () => Promise<void>;
}
interface WebhookResponse extends DeliveryResponse {
  status: (code: number) => WebhookResponse;
  json: (body: unknown) => WebhookResponse;
  end: () => void;
}

const deduplicator = new EventDeduplicator();
const rejections = new LogThrottle();

/** Response to a genuine delivery that starts nothing: without workflow data, n8n sends 200. */
const ACCEPTED: IWebhookResponseData = { webhookResponse: 'OK' };

/**
 * Receives one delivery. Without a valid, recent signature it gets a 401 and starts nothing. A duplicate event,
 * or one that isn't chosen in the node, gets a 200 and starts nothing. While n8n is still storing an event, a
 * duplicate of it gets a 503, so that the service retries. Writes no static data.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const { eventTypes, raw, toleranceSeconds } = readDeliverySettings(context);
  const subscription = currentSubscription(context);
  let delivery: VerifiedDelivery;
  try {
    delivery = await verify(context, subscription, toleranceSeconds);
  } catch (error) {
    return rejectDelivery(context, subscription, error);
  }
  const stored = readStored(context);
  if (subscription.secret !== stored.secret) new SubscriptionLog(context).oldDataStored(stored);
  const { event, deliveryId } = delivery;
  if (eventTypes?.includes(event.type) === false) return ACCEPTED;

  const subscriptionKey = `${triggerKey(context)}/${subscription.subscriptionId ?? ''}`;
  // Not by the delivery ID, which isn't signed: a captured delivery could be replayed with any other.
  const status = await deduplicator.claim(hash(`${subscriptionKey}/${event.id}`), responseOf(context));
  if (status === 'duplicate') return ACCEPTED;
  if (status === 'undecided') return respond(context, 503, { error: 'still_storing' });
  const item = raw
    ? { ...event, eventId: event.id, deliveryId: deliveryId ?? null }
    : eventRow(event, deliveryId);
  return { workflowData: [context.helpers.returnJsonArray(item as IDataObject)] };
}

/** Short, however long the service's IDs are: thousands of them are remembered. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The stored subscription or, if n8n wrote old static data back, the one that this process remembers. */
function currentSubscription(context: IWebhookFunctions): StoredSubscription {
  // A test's static data is in memory, where nothing overwrites it.
  if (context.getMode() === 'manual') return readStored(context);
  return newestSubscription(context, webhookUrl(context));
}

async function verify(
  context: IWebhookFunctions,
  { secret = '', headerPrefix }: StoredSubscription,
  toleranceSeconds: number,
): Promise<VerifiedDelivery> {
  const request = context.getRequestObject() as WebhookRequest;
  // n8n reads the body before it calls the node; older versions leave that to the node.
  if (request.rawBody === undefined) await request.readRawBody?.();
  const { rawBody = '', headers } = request;
  return verifyWebhook(omitUndefined({ rawBody, headers, secret, toleranceSeconds, headerPrefix }));
}

function rejectDelivery(
  context: IWebhookFunctions,
  subscription: StoredSubscription,
  error: unknown,
): IWebhookResponseData {
  const reason = isWebhookVerificationError(error) ? error.reason : 'invalid_input';
  const workflowId = context.getWorkflow().id;
  const { name: nodeName } = context.getNode();
  const suppressed = rejections.count(`${triggerKey(context)}/${reason}`);
  if (suppressed !== undefined) {
    const remedy = remedyOf(context, subscription, reason);
    const others = suppressed === 0 ? '' : ` ${suppressed} more refused since the last message.`;
    context.logger.warn(`A delivery to the workflow's trigger was refused: ${reason}.${remedy}${others}`, {
      workflowId,
      nodeName,
    });
  }
  return respond(context, 401, { error: 'invalid_signature', reason });
}

/** What to do about a delivery that was refused although it may be genuine: its subscription may be unknown to n8n. */
function remedyOf(
  context: IWebhookFunctions,
  { subscriptionId }: StoredSubscription,
  reason: string,
): string {
  if (reason === 'timestamp_out_of_tolerance')
    return (
      " Its signature matches, but its time doesn't: check the clock of n8n's machine. " +
      'If the service sends retries with their first signature, raise Tolerance for Late Deliveries.'
    );
  if (reason !== 'missing_secret' && reason !== 'signature_mismatch') return '';
  const url = webhookUrl(context);
  const others =
    subscriptionId === undefined
      ? `Then remove all webhook subscriptions for ${url} but the newest in the service's app.`
      : `If the service's app lists more than one webhook subscription for ${url}, remove all but ${subscriptionId}.`;
  const again = 'unpublish the workflow and publish it again.';
  if (reason === 'missing_secret') return ` n8n has no signing secret for it: ${again} ${others}`;
  const polling = hasOtherTrigger(context) ? 'move the polling trigger to another workflow, then ' : '';
  return (
    " Either the service did not send it, or it belongs to a webhook subscription that n8n doesn't know any more, " +
    `for example because n8n stopped while the workflow was published. ${others} If events are missing, ${polling}${again}`
  );
}

/**
 * Whether a polling trigger in the workflow may write old static data back. n8n's contexts contain the workflow, though
 * their public type does not.
 */
function hasOtherTrigger(context: IWebhookFunctions): boolean {
  const { workflow } = context as { workflow?: Partial<Pick<Workflow, 'getPollNodes'>> };
  return (workflow?.getPollNodes?.().length ?? 0) > 0;
}

const webhookUrl = (context: IWebhookFunctions) => context.getNodeWebhookUrl('default') ?? '';

/** n8n would send `webhookResponse: {status: 401}` as the body of a 200, so the response is written here. */
function respond(context: IWebhookFunctions, status: number, body: object): IWebhookResponseData {
  responseOf(context).status(status).json(body).end();
  return { noWebhookResponse: true };
}

const responseOf = (context: IWebhookFunctions) => context.getResponseObject() as unknown as WebhookResponse;

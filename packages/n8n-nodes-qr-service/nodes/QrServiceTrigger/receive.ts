import { createHash } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import {
  omitUndefined,
  eventRow,
  isWebhookVerificationError,
  verifyWebhook,
  type WireHeaders,
} from '../../core.ts';
import { EventDeduplicator, type DeliveryResponse } from './EventDeduplicator.ts';
import { LogThrottle } from './LogThrottle.ts';
import { readDeliverySettings } from './settings.ts';
import { readStored } from './StoredSubscription.ts';
import { triggerKey } from './triggerKey.ts';
import { verifyDelivery, type GenuineDelivery, type Verify } from './verifyDelivery.ts';

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

/** What to do about deliveries that are refused although they may be genuine. */
const REMEDIES: Partial<Record<string, string>> = {
  missing_secret: ' Unpublish the workflow and publish it again to get a new signing secret.',
  signature_mismatch:
    ' Either it was not sent by the service, or n8n wrote an old signing secret back, as happens when a polling trigger is in the same workflow. ' +
    'If events are missing, move the polling trigger to another workflow, then unpublish this one and publish it again.',
};

/** Response to a genuine delivery that starts nothing: without workflow data, n8n sends 200. */
const ACCEPTED: IWebhookResponseData = { webhookResponse: 'OK' };

/**
 * Receives one delivery. Without a valid, recent signature it gets a 401 and starts nothing. A duplicate event,
 * or one that isn't chosen in the node, gets a 200 and starts nothing. While n8n is still storing an event, a
 * duplicate of it gets a 503, so that the service retries. So does a delivery that can't be verified yet.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const stored = readStored(context);
  const { eventTypes, raw, toleranceSeconds } = readDeliverySettings(context);
  let genuine: GenuineDelivery | 'undecided';
  try {
    genuine = await verifyDelivery(context, stored, await verifier(context, toleranceSeconds));
  } catch (error) {
    return rejectDelivery(context, error);
  }
  if (genuine === 'undecided') return respond(context, 503, { error: 'not_verified_yet' });
  const { event, deliveryId } = genuine.delivery;
  if (eventTypes?.includes(event.type) === false) return ACCEPTED;

  const subscriptionKey = `${triggerKey(context)}/${genuine.subscription.subscriptionId ?? ''}`;
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

async function verifier(context: IWebhookFunctions, toleranceSeconds: number): Promise<Verify> {
  const request = context.getRequestObject() as WebhookRequest;
  // n8n reads the body before it calls the node; older versions leave that to the node.
  if (request.rawBody === undefined) await request.readRawBody?.();
  return ({ secret = '', headerPrefix }) =>
    verifyWebhook(
      omitUndefined({
        rawBody: request.rawBody ?? '',
        headers: request.headers,
        secret,
        toleranceSeconds,
        headerPrefix,
      }),
    );
}

function rejectDelivery(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
  const reason = isWebhookVerificationError(error) ? error.reason : 'invalid_input';
  const remedy = REMEDIES[reason] ?? '';
  const workflowId = context.getWorkflow().id;
  const { name: nodeName } = context.getNode();
  const suppressed = rejections.count(`${triggerKey(context)}/${reason}`);
  if (suppressed !== undefined) {
    const others = suppressed === 0 ? '' : ` ${suppressed} more refused since the last message.`;
    context.logger.warn(`A delivery to the workflow's trigger was refused: ${reason}.${remedy}${others}`, {
      workflowId,
      nodeName,
    });
  }
  return respond(context, 401, { error: 'invalid_signature', reason });
}

/** n8n would send `webhookResponse: {status: 401}` as the body of a 200, so the response is written here. */
function respond(context: IWebhookFunctions, status: number, body: object): IWebhookResponseData {
  responseOf(context).status(status).json(body).end();
  return { noWebhookResponse: true };
}

const responseOf = (context: IWebhookFunctions) => context.getResponseObject() as unknown as WebhookResponse;

import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import {
  eventRow,
  idempotencyKeyFrom,
  isWebhookVerificationError,
  verifyWebhook,
  type VerifiedDelivery,
  type WireHeaders,
} from '../../deps.ts';
import { readSettings } from './settings.ts';
import { storedSubscription } from './subscription.ts';
import { claimEvent, type DeliveryResponse } from './takenEvents.ts';

/** The part of n8n's (Express's) request and response that is used here. */
interface WebhookRequest {
  rawBody?: Buffer;
  headers: WireHeaders;
}
interface WebhookResponse extends DeliveryResponse {
  status: (code: number) => WebhookResponse;
  json: (body: unknown) => WebhookResponse;
  end: () => void;
}

/** Without workflow data, n8n responds with 200 and starts nothing. */
const ACCEPTED: IWebhookResponseData = {};

/** What to do about a delivery that was refused although it may be genuine. */
const REMEDIES: Record<string, string> = {
  timestamp_out_of_tolerance:
    " Its signature matches, but its time doesn't: check the clock of n8n's machine.",
  missing_secret:
    " n8n has no signing secret for it: unpublish the workflow and publish it again. Then remove all webhook subscriptions for its URL but the newest in the service's app.",
  signature_mismatch:
    " Either the service didn't send it, or another webhook subscription did. If the service's app lists several for its URL, remove all but its own. If events are missing, unpublish the workflow and publish it again.",
};

/** When the log last named each trigger's refused deliveries: anyone may send thousands. */
const lastLogged = new Map<string, number>();
const LOG_INTERVAL_MS = 60_000;

/**
 * Receives one delivery. One that isn't genuine gets a 401, a duplicate or an event that isn't chosen a 200, and a duplicate of
 * an event that n8n is still storing a 503, so that the service retries. Writes no static data.
 */
export function receive(context: IWebhookFunctions): IWebhookResponseData {
  const { eventTypes, isAny } = readSettings(context);
  const { secret = '', subscriptionId } = storedSubscription(context);
  // n8n has already read the body, unless it is multipart, which the service never sends.
  const { rawBody = '', headers } = context.getRequestObject() as WebhookRequest;
  let delivery: VerifiedDelivery;
  try {
    delivery = verifyWebhook({ rawBody, headers, secret });
  } catch (error) {
    return refuse(context, isWebhookVerificationError(error) ? error.code : 'invalid_input');
  }
  const { event, deliveryId } = delivery;
  if (!isAny && !eventTypes.includes(event.type)) return ACCEPTED;
  // Not by the delivery ID, which isn't signed: a captured delivery could be replayed with any other.
  // A hash is short, however long the service's IDs are: thousands of them are remembered.
  const key = idempotencyKeyFrom([triggerKey(context), subscriptionId, event.id]);
  const status = claimEvent(key, responseOf(context));
  if (status === 'duplicate') return ACCEPTED;
  if (status === 'storing') return respond(context, 503, { error: 'still_storing' });
  return { workflowData: [[{ json: eventRow(event, deliveryId) as IDataObject }]] };
}

function refuse(context: IWebhookFunctions, reason: string): IWebhookResponseData {
  const key = `${triggerKey(context)} ${reason}`;
  if (Date.now() >= (lastLogged.get(key) ?? 0) + LOG_INTERVAL_MS) {
    lastLogged.set(key, Date.now());
    const { id: workflowId } = context.getWorkflow();
    const { subscriptionId = 'none' } = storedSubscription(context);
    const trigger = `URL: ${context.getNodeWebhookUrl('default') ?? 'none'}, subscription: ${subscriptionId}`;
    const message = `A delivery to the workflow's trigger (${trigger}) was refused: ${reason}.${REMEDIES[reason] ?? ''}`;
    context.logger.warn(message, { workflowId, nodeName: context.getNode().name });
  }
  return respond(context, 401, { error: 'invalid_signature', reason });
}

function triggerKey(context: IWebhookFunctions): string {
  return `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
}

/** n8n would send `webhookResponse: {status: 401}` as the body of a 200, so the response is written here. */
function respond(context: IWebhookFunctions, status: number, body: object): IWebhookResponseData {
  responseOf(context).status(status).json(body).end();
  return { noWebhookResponse: true };
}

const responseOf = (context: IWebhookFunctions) => context.getResponseObject() as unknown as WebhookResponse;

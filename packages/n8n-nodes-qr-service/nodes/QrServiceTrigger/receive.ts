import { createHash } from 'node:crypto';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import {
  eventRow,
  isWebhookVerificationError,
  verifyWebhook,
  type VerifiedDelivery,
  type WireHeaders,
} from '../../core.ts';
import { RecentEvents, type DeliveryResponse } from './EventDeduplicator.ts';
import { RefusalLog } from './LogThrottle.ts';
import { readDeliverySettings } from './settings.ts';
import { readStored, type StoredSubscription } from './StoredSubscription.ts';
import { triggerName } from './triggerKey.ts';

/** The part of n8n's (express's) request and response that is used here. */
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

const recentEvents = new RecentEvents();
const refusals = new RefusalLog();

/** Answer to a genuine delivery that starts nothing: without workflow data n8n sends 200. */
const ACCEPTED: IWebhookResponseData = { webhookResponse: 'OK' };

/**
 * Takes one delivery: what is not proven to be the service's own and fresh gets 401 and starts nothing; a
 * repeated event, or one that is not chosen, gets 200 and starts nothing. While n8n is still busy storing the
 * first of two, the second gets 503, so that the service comes back to ask.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const stored = readStored(context);
  const { eventTypes, raw, toleranceSeconds } = readDeliverySettings(context);
  let delivery: VerifiedDelivery;
  try {
    delivery = await verify(context, stored, toleranceSeconds);
  } catch (error) {
    return refuse(context, error);
  }
  const { event, deliveryId } = delivery;
  if (eventTypes?.includes(event.type) === false) return ACCEPTED;

  const place = `${triggerName(context)}/${stored.subscriptionId ?? ''}`;
  // The id of the delivery is not signed: who has captured one could send it again under any other.
  const novelty = await recentEvents.take(shortKey(`${place}/${event.id}`), responseOf(context));
  if (novelty === 'repeated') return ACCEPTED;
  if (novelty === 'undecided') return answer(context, 503, { error: 'still_storing' });
  const item = raw
    ? { ...event, eventId: event.id, deliveryId: deliveryId ?? null }
    : eventRow(event, deliveryId);
  return { workflowData: [context.helpers.returnJsonArray(item as IDataObject)] };
}

/** The same for the same text, short whatever ids the service gives: thousands of them are remembered. */
function shortKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

async function verify(
  context: IWebhookFunctions,
  stored: StoredSubscription,
  toleranceSeconds: number,
): Promise<VerifiedDelivery> {
  const request = context.getRequestObject() as WebhookRequest;
  // n8n reads the body before it calls the node; older versions leave that to the node.
  if (request.rawBody === undefined) await request.readRawBody?.();
  return verifyWebhook({
    rawBody: request.rawBody ?? '',
    headers: request.headers,
    secret: stored.secret ?? '',
    toleranceSeconds,
    ...(stored.headerPrefix === undefined ? {} : { headerPrefix: stored.headerPrefix }),
  });
}

function refuse(context: IWebhookFunctions, error: unknown): IWebhookResponseData {
  const reason = isWebhookVerificationError(error) ? error.reason : 'invalid_input';
  const remedy =
    reason === 'missing_secret'
      ? ' Deactivate the workflow and activate it again to get a new signing secret.'
      : '';
  const workflowId = context.getWorkflow().id;
  const { name: nodeName } = context.getNode();
  const unsaid = refusals.count(`${triggerName(context)}/${reason}`);
  if (unsaid !== undefined) {
    const others = unsaid === 0 ? '' : ` So were ${unsaid} more since this was last said.`;
    context.logger.warn(`A delivery to the workflow's trigger was refused: ${reason}.${remedy}${others}`, {
      workflowId,
      nodeName,
    });
  }
  return answer(context, 401, { error: 'invalid_signature', reason });
}

/** `webhookResponse: {status: 401}` would be sent as the body of a 200, so the response is written here. */
function answer(context: IWebhookFunctions, status: number, body: object): IWebhookResponseData {
  responseOf(context).status(status).json(body).end();
  return { noWebhookResponse: true };
}

const responseOf = (context: IWebhookFunctions) => context.getResponseObject() as unknown as WebhookResponse;

import type { IHookFunctions } from 'n8n-workflow';
import { readHeaderPrefix, type QrServiceClient } from '../../core.ts';
import { createClientFor, readCredential } from '../shared/transport/createClient.ts';
import { SubscriptionLog } from './SubscriptionLog.ts';
import { ownerOf, type SubscriptionOwner } from './SubscriptionOwner.ts';

/** A trigger that is being published or unpublished. */
export interface Trigger {
  context: IHookFunctions;
  /** The webhook URL: tests in the editor have another one. */
  url: string;
  client: QrServiceClient;
  /** Owns the subscriptions that are created now. */
  owner: SubscriptionOwner;
  /** Prefix of the headers of deliveries. */
  headerPrefix: string;
  log: SubscriptionLog;
}

/**
 * The trigger of a life-cycle call.
 * @throws QrServiceError if its credential isn't valid
 */
export async function triggerOf(context: IHookFunctions): Promise<Trigger> {
  const credential = await readCredential(context);
  return {
    context,
    url: webhookUrl(context),
    client: createClientFor(context, credential),
    owner: ownerOf(context, credential),
    headerPrefix: readHeaderPrefix(credential.headerPrefix),
    log: new SubscriptionLog(context),
  };
}

/** The webhook URL of a trigger. */
export function webhookUrl(context: IHookFunctions): string {
  return context.getNodeWebhookUrl('default') ?? '';
}

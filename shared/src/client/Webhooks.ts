import type { EventType } from '../contract/events.ts';
import type { WebhookSubscription } from '../contract/types.ts';
import { isOwnError, isProvenAbsent } from '../errors/guards.ts';
import { showText } from '../errors/sentences.ts';
import { nonEmptyText, textList } from '../json/json.ts';
import { unreadableResponse } from '../wire/record.ts';
import { readSigningSecret, readSubscription } from '../wire/subscription.ts';
import { pathSegment } from './buildRequest.ts';
import { noteWrite, type CallOptions, type RequestExecutor } from './RequestExecutor.ts';

/** A subscription to create (docs/api.md#webhook-subscriptions). */
export interface WebhookSubscriptionInput {
  /** HTTPS on a public host. */
  url: string;
  /** Names of events (docs/api.md#events); those that the service adds are accepted, too. */
  eventTypes: readonly (EventType | (string & {}))[];
}

/** Outcome of an `unsubscribe`. `unsupported`: the subscription has to be removed in the app. */
export type UnsubscribeResult = 'removed' | 'already-gone' | 'unsupported';

/** Webhook subscriptions (docs/api.md#webhook-subscriptions). */
export class Webhooks {
  readonly #executor: RequestExecutor;

  constructor(executor: RequestExecutor) {
    this.#executor = executor;
  }

  /**
   * Creates a subscription and returns it with its signing secret, which can't be retrieved later. If the response has none,
   * or two that differ, this removes the subscription and throws `unreadable_response`.
   */
  async subscribe(input: WebhookSubscriptionInput, options?: CallOptions): Promise<WebhookSubscription> {
    const { url, eventTypes } = input;
    const call = { method: 'POST', path: '/webhooks', body: { url, eventTypes } } as const;
    const { body, record } = await this.#executor.send(call, options, (response) => {
      const subscription = readSubscription(response.body);
      if (subscription === undefined) throw unreadableResponse('a webhook subscription', response.body);
      return { body: response.body, record: subscription };
    });
    const secret = readSigningSecret(body);
    if (secret === undefined) {
      const removal = await this.unsubscribe(record.id, options).catch(() => undefined);
      const isRemoved = removal === 'removed';
      const advice = isRemoved
        ? 'The subscription was removed again.'
        : `Remove the subscription ${showText(record.id)} in the app.`;
      const error = unreadableResponse('one signing secret', body, advice);
      noteWrite(error, call, !isRemoved);
      throw error;
    }
    return {
      id: record.id,
      secret,
      url: nonEmptyText(record['url']) ?? url,
      eventTypes: textList(record['eventTypes']) ?? [...eventTypes],
    };
  }

  /** Removes a subscription. No endpoint is documented: `DELETE /webhooks/{id}` is what comparable services use. */
  async unsubscribe(id: string, options?: CallOptions): Promise<UnsubscribeResult> {
    try {
      const path = `/webhooks/${pathSegment(id, 'subscription ID')}`;
      return await this.#executor.send({ method: 'DELETE', path }, options, () => 'removed' as const);
    } catch (error) {
      if (isProvenAbsent(error)) return 'already-gone';
      if (isOwnError(error, 405, 501)) return 'unsupported';
      throw error;
    }
  }
}

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { sentence } from '../../core.ts';
import { LogThrottle } from './LogThrottle.ts';
import type { StoredSubscription } from './StoredSubscription.ts';
import { triggerKey } from './triggerKey.ts';

const ADVICE = "remove it in the service's app";
const MAX_KEPT = 1000;

/** What each trigger's log named since its last activation: n8n calls a failing life-cycle method up to five times. */
const logged = new Map<string, Set<string>>();
/** For the message that each delivery would repeat. */
const throttle = new LogThrottle();

/**
 * Writes to n8n's log which subscriptions are created and, once each, which stay behind at the service and what to do
 * about it. n8n has no place in the editor for what a trigger has to say, except for errors.
 */
export class SubscriptionLog {
  readonly #context: IHookFunctions | IWebhookFunctions;

  constructor(context: IHookFunctions | IWebhookFunctions) {
    this.#context = context;
  }

  /** Logged immediately: if n8n stops before it has saved the subscription, this line is its only trace. */
  created(id: string): void {
    this.#context.logger.info(`Created the webhook subscription ${id} for ${this.#workflow()}.`);
  }

  /** The activation succeeded: from now on, the same messages are about something else. */
  activated(): void {
    logged.delete(triggerKey(this.#context));
  }

  /** The service has no way to remove it, or refuses to. */
  notRemovable(id: string, reason: string): void {
    this.#warn(
      `The webhook subscription ${id} could not be removed: ${reason}. ` +
        `It still sends events to ${this.#workflow()}, which no longer accepts them. Remove it in the service's app.`,
      id,
    );
  }

  /** It is unknown whether it was removed. If the workflow was unpublished, n8n retries a few times. */
  removalFailed(id: string, reason: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} could not be removed. ${sentence(reason)} ` +
        `If the service's app still lists it, ${ADVICE}.`,
      id,
    );
  }

  /** A setting is no longer valid, which an activation would reject. */
  keptUnchanged(problem: string): void {
    this.#warn(
      `The trigger of ${this.#workflow()} keeps its webhook subscription, but publishing it again would fail: ${problem}`,
    );
  }

  /** It belongs to someone else, so it was not removed. */
  leftInPlace(id: string, owner: string): void {
    this.#warn(
      `The webhook subscription ${id}, stored with ${this.#workflow()}, belongs to ${owner} and was left in place. ` +
        `If it is no longer used, ${ADVICE}.`,
      id,
    );
  }

  /** The service has none with this ID, or no way to remove one. */
  notFound(id: string): void {
    this.#warn(
      `The service found no webhook subscription ${id} to remove for ${this.#workflow()}. ` +
        `If its app still lists it, ${ADVICE}.`,
      id,
    );
  }

  /** It was created with another API key, and can't or must not be removed with this one. */
  createdWithOtherKey(id: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} was created with another API key and can't be removed with the current one. ` +
        `If it belongs to another workspace, ${ADVICE} there.`,
      id,
    );
  }

  /** One may have been created whose ID is unknown. */
  mayExist(url: string): void {
    this.#warn(
      `The service returned no usable response, so there may be a webhook subscription for ${url} that n8n doesn't know about. ` +
        `Once ${this.#workflow()} is published, remove all but the newest for this URL in the service's app.`,
    );
  }

  /** Deliveries are verified with a newer secret than the stored one. */
  oldDataStored({ subscriptionId }: StoredSubscription): void {
    if (throttle.count(triggerKey(this.#context)) === undefined) return;
    const what =
      subscriptionId === undefined
        ? 'no signing secret'
        : `the earlier webhook subscription ${subscriptionId}`;
    this.#context.logger.warn(
      `n8n restored old static data of ${this.#workflow()}, with ${what}. Another node may have written it back, such as a polling trigger. ` +
        'Events still start the workflow, but only until n8n restarts. ' +
        'Unpublish the workflow and publish it again. If it has a polling trigger, first move that to another workflow.',
    );
  }

  #workflow(): string {
    const { name, id } = this.#context.getWorkflow();
    return `the workflow "${name ?? id ?? ''}"`;
  }

  /** @param about what it says something about, only once */
  #warn(message: string, about = message): void {
    const trigger = triggerKey(this.#context);
    const before = logged.get(trigger) ?? new Set();
    if (before.has(about)) return;
    if (logged.size >= MAX_KEPT) logged.clear();
    logged.set(trigger, before.add(about));
    this.#context.logger.warn(message);
  }
}

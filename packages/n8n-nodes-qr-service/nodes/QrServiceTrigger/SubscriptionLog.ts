import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { LogThrottle } from './LogThrottle.ts';
import type { StoredSubscription } from './StoredSubscription.ts';
import { triggerKey } from './triggerKey.ts';

const ADVICE = "remove it in the service's app";
const MAX_KEPT = 1000;

/** Messages of each trigger since its last activation: n8n calls a failing life-cycle method up to five times. */
const logged = new Map<string, Set<string>>();
/** Subscriptions that the log told people to remove. */
const reported = new Set<string>();
/** For the message that each delivery would repeat. */
const throttle = new LogThrottle();

/**
 * Writes to n8n's log which subscriptions are created and, once each, which stay behind at the service and what to do
 * about it.
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

  /** It was only created because none was newer than the stored one. */
  removedAgain(id: string): void {
    this.#context.logger.info(
      `Removed the webhook subscription ${id} again: it was created while n8n looked for a newer one for ${this.#workflow()}.`,
    );
  }

  /** The activation succeeded: from now on, the same messages are about something else. */
  activated(): void {
    logged.delete(triggerKey(this.#context));
  }

  /** Whether the log told people to remove it, so that it must not be used any more. */
  isReported(id: string): boolean {
    return reported.has(id);
  }

  /** The service has no way to remove it, or refuses to. */
  notRemovable(id: string, reason: string): void {
    if (reported.size >= MAX_KEPT) reported.clear();
    reported.add(id);
    this.#warn(
      `The webhook subscription ${id} could not be removed: ${reason}. ` +
        `It still sends events to ${this.#workflow()}, which no longer listens. Remove it in the service's app.`,
    );
  }

  /** It could not be removed yet. n8n retries a few times. */
  removalFailed(id: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} could not be removed yet. If it stays, ${ADVICE}.`,
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
    );
  }

  /** The service has none with this ID. */
  notFound(id: string, url: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} was not found, so it was not removed. ` +
        `If the app still lists it, or more than one for ${url}, remove all but the newest in the service's app.`,
    );
  }

  /** It was created with another API key, and can't or must not be removed with this one. */
  createdWithOtherKey(id: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} was created with another API key and can't be removed with the current one. ` +
        `If it belongs to another workspace, ${ADVICE} there.`,
    );
  }

  /** There may be one whose ID is unknown. */
  mayBeOrphaned(url: string, why: string): void {
    this.#warn(
      `${why}, so there may be a webhook subscription for ${url} that n8n doesn't know about. Publishing ${this.#workflow()} again usually removes it. ` +
        "If the service's app then lists more than one for this URL, remove all but the newest.",
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
      `n8n restored old static data of ${this.#workflow()}, with ${what}. This happens when a polling trigger is in the same workflow. ` +
        'Events still start the workflow because this process has the newest signing secret. After a restart, n8n can request that secret only within 24 hours of publishing. ' +
        'Move the polling trigger to another workflow, then unpublish this one and publish it again.',
    );
  }

  /** A delivery doesn't match the known secrets, and no newer one could be requested from the service. */
  newestNotFound(problem: string): void {
    this.#context.logger.warn(
      `A delivery to ${this.#workflow()} doesn't match the stored signing secret, and a newer one could not be requested: ${problem} ` +
        'If events are missing, unpublish the workflow and publish it again.',
    );
  }

  #workflow(): string {
    const { name, id } = this.#context.getWorkflow();
    return `the workflow "${name ?? id ?? ''}"`;
  }

  #warn(message: string): void {
    const trigger = triggerKey(this.#context);
    const before = logged.get(trigger) ?? new Set();
    if (before.has(message)) return;
    if (logged.size >= MAX_KEPT) logged.clear();
    logged.set(trigger, before.add(message));
    this.#context.logger.warn(message);
  }
}

import type { IHookFunctions } from 'n8n-workflow';
import { triggerName } from './triggerKey.ts';

const REMOVE = "remove it in the service's app";
const MOST_KEPT = 1000;

/** What was said of each trigger since its last activation: n8n calls a failing life-cycle method up to five times. */
const said = new Map<string, Set<string>>();
/** Subscriptions that people were told to remove. */
const advised = new Set<string>();

/**
 * Names in n8n's log every subscription that is created, and each that stays behind at the service, once, with what
 * to do about it.
 */
export class SubscriptionLog {
  readonly #context: IHookFunctions;

  constructor(context: IHookFunctions) {
    this.#context = context;
  }

  /** At once: if n8n stops before it has saved the subscription, this is the only trace of it here. */
  created(id: string): void {
    this.#context.logger.info(`Created the webhook subscription ${id} for ${this.#workflow()}.`);
  }

  /** The activation has ended well: what is said from here on is about something else. */
  activated(): void {
    said.delete(triggerName(this.#context));
  }

  /** Whether somebody was told to remove it: it must not be used any more. */
  isToBeRemoved(id: string): boolean {
    return advised.has(id);
  }

  /** The service has no way to remove it, or refuses to. */
  stays(id: string, reason: string): void {
    if (advised.size >= MOST_KEPT) advised.clear();
    advised.add(id);
    this.#warn(
      `The webhook subscription ${id} could not be removed: ${reason}. ` +
        `It still sends events to ${this.#workflow()}, which no longer listens. Remove it in the service's app.`,
    );
  }

  /** It could not be removed for now; n8n tries again a few times. */
  notYetRemoved(id: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} could not be removed yet. If it stays, ${REMOVE}.`,
    );
  }

  /** A setting can't be used any more, which an activation would refuse. */
  keptAsItWas(problem: string): void {
    this.#warn(
      `The trigger of ${this.#workflow()} keeps its webhook subscription, but could not be activated anew: ${problem}`,
    );
  }

  /** Somebody else's, so it was not touched. */
  leftAlone(id: string, owner: string): void {
    this.#warn(
      `The webhook subscription ${id}, which was stored with ${this.#workflow()}, belongs to ${owner} and was left in place. ` +
        `If it is no longer used, ${REMOVE}.`,
    );
  }

  /** The service says that it has none of this ID. */
  notFound(id: string, url: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} was not found, so it was not removed. ` +
        `If the app still lists it, or more than one for ${url}, remove all but the newest in the service's app.`,
    );
  }

  /** It was made with another API key, and this one doesn't find it or must not ask for it. */
  ofOtherKey(id: string): void {
    this.#warn(
      `The webhook subscription ${id} of ${this.#workflow()} was created with another API key and can't be removed with the current one. ` +
        `If it belongs to another workspace, ${REMOVE} there.`,
    );
  }

  /** Nobody knows whether there is one, or its ID. */
  mayExist(url: string, why: string): void {
    this.#warn(
      `${why}, so there may be a webhook subscription for ${url} that n8n doesn't know about. Activating ${this.#workflow()} again usually removes it; ` +
        `otherwise, if the app lists two for this URL, remove the older one.`,
    );
  }

  #workflow(): string {
    const { name, id } = this.#context.getWorkflow();
    return `the workflow "${name ?? id ?? ''}"`;
  }

  #warn(message: string): void {
    const trigger = triggerName(this.#context);
    const before = said.get(trigger) ?? new Set();
    if (before.has(message)) return;
    if (said.size >= MOST_KEPT) said.clear();
    said.set(trigger, before.add(message));
    this.#context.logger.warn(message);
  }
}

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { verifyWebhook, type WireHeaders } from '../../core.ts';

const MOST_KEPT = 100;
const LARGEST_BODY = 100_000;

interface Refused {
  rawBody: Uint8Array;
  headers: WireHeaders;
  /** Milliseconds since the epoch. */
  receivedAt: number;
}

/**
 * The latest delivery that each trigger refused because it had not the secret for it, in this process. If a
 * subscription's secret verifies it, that subscription is alive: no other proof is to be had without removing it.
 */
export class RefusedDeliveries {
  readonly #latest = new Map<string, Refused>();

  /** @param trigger names the workflow and the node */
  remember(
    trigger: string,
    rawBody: Uint8Array,
    headers: WireHeaders,
    receivedAt: number = Date.now(),
  ): void {
    this.#latest.delete(trigger);
    if (rawBody.length > LARGEST_BODY) return;
    const [oldest] = this.#latest.keys();
    if (this.#latest.size === MOST_KEPT && oldest !== undefined) this.#latest.delete(oldest);
    this.#latest.set(trigger, { rawBody, headers, receivedAt });
  }

  /** Whether the trigger's latest refused delivery was signed with this secret. */
  isSignedWith(secret: string, trigger: string, headerPrefix: string): boolean {
    const refused = this.#latest.get(trigger);
    if (refused === undefined) return false;
    try {
      const { rawBody, headers, receivedAt } = refused;
      verifyWebhook({ rawBody, headers, secret, headerPrefix, now: () => receivedAt });
      return true;
    } catch {
      return false;
    }
  }
}

/** Those of this process. */
export const refusedDeliveries = new RefusedDeliveries();

/** Names a trigger among all of this n8n. */
export function triggerName(context: IHookFunctions | IWebhookFunctions): string {
  return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

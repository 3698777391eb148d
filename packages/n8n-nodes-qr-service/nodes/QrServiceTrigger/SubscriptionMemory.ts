import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { StoredSubscription } from './StoredSubscription.ts';
import { triggerKey } from './triggerKey.ts';

/** More triggers than an n8n instance has, so that nothing is forgotten in practice. */
const MAX_TRIGGERS = 5000;
const MAX_FORMERS = 200;

/** What this process knows about the subscriptions of one trigger. */
export interface KnownSubscriptions {
  /** What static data should contain: the newest subscription, or after its removal the trace that it leaves. */
  newest: StoredSubscription;
  /** Whether this process activated the trigger itself, so that it can't have missed a newer subscription. */
  isOwn: boolean;
  /** The node at that time. n8n activates a trigger again only if its node was changed. */
  print: string;
  /** IDs of earlier subscriptions, which were replaced. */
  readonly formers: ReadonlySet<string>;
  /** Newer subscriptions that the service replayed, oldest first. A delivery shows which of them is active. */
  candidates: readonly StoredSubscription[];
  /** The Idempotency-Key tried last; undefined if none was. */
  lastTried?: string;
}

const triggers = new Map<string, KnownSubscriptions>();

/**
 * n8n writes static data as a whole. A poll, for example, writes back what the workflow's triggers had stored when the
 * polling trigger was activated. So the process remembers which subscription of a trigger is the newest.
 * @param url the webhook URL: tests in the editor have another one
 */
export function recall(
  context: IHookFunctions | IWebhookFunctions,
  url: string,
): KnownSubscriptions | undefined {
  return triggers.get(memoryKey(context, url));
}

/** Replaces what is known about a trigger. */
export function remember(
  context: IHookFunctions | IWebhookFunctions,
  url: string,
  known: KnownSubscriptions,
): void {
  const key = memoryKey(context, url);
  triggers.delete(key);
  triggers.set(key, { ...known, formers: new Set([...known.formers].slice(-MAX_FORMERS)) });
  const [oldest] = triggers.keys();
  if (triggers.size > MAX_TRIGGERS && oldest !== undefined) triggers.delete(oldest);
}

/** Whether static data is not newer than what is known. With an unknown ID, it may be: another process may have stored it. */
export function isKnown(known: KnownSubscriptions, { subscriptionId }: StoredSubscription): boolean {
  return (
    subscriptionId === undefined ||
    subscriptionId === known.newest.subscriptionId ||
    known.formers.has(subscriptionId)
  );
}

/** The properties of a node whose change makes n8n activate its trigger again (n8n 2.40, `trigger-diff`). */
export function nodePrint(context: IHookFunctions | IWebhookFunctions): string {
  const { name, typeVersion, webhookId, credentials, parameters } = context.getNode();
  return JSON.stringify({ name, typeVersion, webhookId, credentials, parameters });
}

function memoryKey(context: IHookFunctions | IWebhookFunctions, url: string): string {
  return `${triggerKey(context)} ${url}`;
}

import { EVENTS } from '@qr-service/core/connector';
import { isApiError, type EventType } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { SUBSCRIBE_WORDS } from '../errors/errorWords.ts';
import { errorTitle } from '../errors/zapierErrors.ts';
import { readText } from '../inputs/readInputs.ts';
import { newestFirst } from '../resources/newestFirst.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { eventOutput, recentCodeRow } from '../resources/event.ts';
import { receiveDelivery } from './receiveDelivery.ts';

/** Rows that the editor offers as samples. */
const SAMPLE_ROWS = 3;

/** Milliseconds that turning a Zap off may wait for the service. */
const UNSUBSCRIBE_MS = 8_000;

const NOUNS = { code: 'QR Code', feedback: 'Feedback Response', other: 'Event' } as const;

/** Key of the trigger for an event: saved Zaps hold it. */
export function triggerKey(type: EventType): string {
  return type.replaceAll('.', '_');
}

/** The instant trigger for one of the service's events. */
export function hookTrigger(type: EventType): Trigger {
  const { label, description, about } = EVENTS[type];
  return {
    key: triggerKey(type),
    noun: NOUNS[about],
    display: { label, description },
    operation: {
      type: 'hook',
      perform: withZapierErrors((z, bundle) => receiveDelivery(z, bundle, type)),
      performSubscribe: withZapierErrors((z, bundle) => subscribe(z, bundle, type), SUBSCRIBE_WORDS),
      performUnsubscribe: withZapierErrors(unsubscribe),
      performList: withZapierErrors((z, bundle) => recent(z, bundle, type)),
      ...eventOutput(type),
    },
  };
}

/** Zapier keeps what this returns and passes it to each delivery, so it returns only what that needs. */
async function subscribe(
  z: ZObject,
  bundle: Bundle,
  type: EventType,
): Promise<{ id: string; secret: string }> {
  const { id, secret } = await createClient(z, bundle).webhooks.subscribe({
    url: bundle.targetUrl ?? '',
    eventTypes: [type],
  });
  return { id, secret };
}

/** Never fails: people couldn't turn their Zap off. Zapier responds to later deliveries with 410. */
async function unsubscribe(z: ZObject, bundle: Bundle): Promise<Record<string, never>> {
  const id = readText(bundle.subscribeData?.id);
  if (id === undefined) return {};
  const byHand = `Remove the webhook subscription ${id} in the app.`;
  try {
    const result = await createClient(z, bundle).webhooks.unsubscribe(id, { timeoutMs: UNSUBSCRIBE_MS });
    if (result === 'unsupported') z.console.log(`${byHand} The API doesn't support removing it.`);
  } catch (error) {
    z.console.log(`${byHand} Removing it failed: ${errorTitle(error)}`);
  }
  return {};
}

/** What the editor's test shows: recent codes in the form of this event, else the sample. */
async function recent(z: ZObject, bundle: Bundle, type: EventType): Promise<Record<string, unknown>[]> {
  const codes = EVENTS[type].about === 'code' ? await recentCodes(z, bundle) : [];
  if (codes.length === 0) return [eventOutput(type).sample];
  return codes.map((code) => recentCodeRow(type, code));
}

async function recentCodes(z: ZObject, bundle: Bundle) {
  try {
    const { rows } = await createClient(z, bundle).qr.listPage();
    return newestFirst(rows, (code) => code.updatedAt).slice(0, SAMPLE_ROWS);
  } catch (error) {
    // The trigger itself doesn't read codes, so a key without that scope gets the sample.
    if (isApiError(error) && error.status === 403 && error.intermediary === undefined) return [];
    throw error;
  }
}

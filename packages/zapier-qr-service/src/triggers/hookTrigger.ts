import { EVENTS, isOwnError, omitUndefined, UNSEEN_EVENTS } from '@qr-service/core/connector';
import type { EventType, QrCode, QrServiceClient } from '@qr-service/core';
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { errorTitle, SUBSCRIBE_WORDS, withZapierErrors } from '../errors.ts';
import { storedText } from '../inputs/readInputs.ts';
import { eventOutput, fitsEvent, recentCodeRow, sampleStatus } from '../resources/event.ts';
import { eventFilterFields, isAboutCodes, readCodeFilters, sampleCodes } from './codeFilters.ts';
import { receiveDelivery } from './receiveDelivery.ts';

/** Time limit for turning a Zap off, in milliseconds. */
const UNSUBSCRIBE_MS = 8_000;

/** The instant trigger for one of the service's events. */
export function hookTrigger(type: EventType): Trigger {
  const { label, description, noun } = EVENTS[type];
  return {
    key: type.replaceAll('.', '_'),
    noun,
    display: { label, description, ...(UNSEEN_EVENTS.includes(type) && { hidden: true }) },
    operation: {
      type: 'hook',
      perform: withZapierErrors((z, bundle) => receiveDelivery(z, bundle, type)),
      performSubscribe: withZapierErrors((z, bundle) => subscribe(z, bundle, type), SUBSCRIBE_WORDS),
      performUnsubscribe: withZapierErrors(unsubscribe),
      performList: withZapierErrors((z, bundle) => recent(z, bundle, type)),
      inputFields: eventFilterFields(type),
      ...eventOutput(type),
    },
  };
}

/** Zapier stores the result and passes it to each delivery, so it contains only what deliveries need. */
async function subscribe(
  z: ZObject,
  bundle: Bundle,
  type: EventType,
): Promise<{ id: string; secret: string }> {
  const client = createClient(z, bundle);
  await checkFilters(bundle, client);
  const { id, secret } = await client.webhooks.subscribe({
    url: bundle.targetUrl as string,
    eventTypes: [type],
  });
  return { id, secret };
}

async function checkFilters(bundle: Bundle, client: QrServiceClient): Promise<void> {
  try {
    await readCodeFilters(bundle).findCode(client);
  } catch (error) {
    // The trigger itself doesn't read codes, so it works without that scope.
    if (!isOwnError(error, 403)) throw error;
  }
}

/** Never fails, as people then couldn't turn their Zap off. Zapier responds to later deliveries with 410. */
async function unsubscribe(z: ZObject, bundle: Bundle): Promise<Record<string, never>> {
  const id = storedText(bundle.subscribeData?.id);
  if (id === undefined) return {};
  const byHand = `Remove the webhook subscription ${id} in the app`;
  try {
    const result = await createClient(z, bundle).webhooks.unsubscribe(id, { timeoutMs: UNSUBSCRIBE_MS });
    if (result === 'unsupported') z.console.log(`${byHand}. The API doesn't support removing it.`);
    // A service without a way to remove one may respond in the same way.
    if (result === 'already-gone') z.console.log(`${byHand} if it is still listed. The API didn't find it.`);
  } catch (error) {
    z.console.log(`${byHand}. Removing it failed: ${errorTitle(error)}`);
  }
  return {};
}

/** Rows for the editor's test: recent codes that pass the filters, in the form of this event, or else the sample. */
async function recent(z: ZObject, bundle: Bundle, type: EventType): Promise<Record<string, unknown>[]> {
  const { sample } = eventOutput(type);
  if (!isAboutCodes(type)) return [sample];
  const fits = (code: QrCode) => fitsEvent(type, code);
  try {
    const codes = await sampleCodes(bundle, createClient(z, bundle), fits, sampleStatus(type));
    const isShown = codes.length > 0 && EVENTS[type].dataDocumented;
    return isShown ? codes.map((code) => recentCodeRow(type, code)) : [sample];
  } catch (error) {
    // The trigger itself doesn't read codes, so a key without that scope gets the sample.
    if (!isOwnError(error, 403)) throw error;
    return [{ ...sample, ...omitUndefined({ status: readCodeFilters(bundle).status }) }];
  }
}

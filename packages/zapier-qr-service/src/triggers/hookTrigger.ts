import type { EventType } from '@qr-service/core';
import { EVENTS, isOwnError, SAMPLE_ROWS } from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Trigger, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { errorTitle, withZapierErrors } from '../errors/zapierErrors.ts';
import { storedText } from '../inputs/readInputs.ts';
import { eventOutput, fitsEvent, recentCodeRow } from '../resources/event.ts';
import { checkCode } from '../resources/qrCodeId.ts';
import { CODE_FILTER, readCodeFilters, recentFilteredCodes, STATUS_FILTER } from './filters.ts';
import { receiveDelivery } from './receiveDelivery.ts';

/** Time limit for turning a Zap off, in milliseconds. */
const UNSUBSCRIBE_MS = 8_000;

type Row = Record<string, unknown>;

/**
 * An instant trigger's operation.
 * @param typeOf reads the event to subscribe to
 * @param recent returns rows for the editor's test
 */
export function hookOperation(
  typeOf: (bundle: Bundle) => EventType,
  recent: (z: ZObject, bundle: Bundle) => Promise<Row[]>,
  inputFields: PlainInputField[],
) {
  return {
    type: 'hook' as const,
    perform: withZapierErrors((z, bundle) => receiveDelivery(z, bundle, typeOf(bundle))),
    performSubscribe: withZapierErrors((z, bundle) => subscribe(z, bundle, typeOf(bundle)), 'subscription'),
    performUnsubscribe: withZapierErrors(unsubscribe),
    performList: withZapierErrors(recent),
    inputFields,
  };
}

/** Filters of events that can happen to a code more than once. */
const FILTERS: Partial<Record<EventType, PlainInputField[]>> = {
  'qr.published': [CODE_FILTER],
  'qr.updated': [CODE_FILTER, STATUS_FILTER],
};

/** The instant trigger for one of the service's events. */
export function hookTrigger(type: EventType): Trigger {
  const { label, description, noun } = EVENTS[type];
  const recent = (z: ZObject, bundle: Bundle) => recentEvents(z, bundle, type);
  return {
    key: type.replaceAll('.', '_'),
    noun,
    display: { label, description },
    operation: { ...hookOperation(() => type, recent, FILTERS[type] ?? []), ...eventOutput(type) },
  };
}

/** Zapier stores the result and passes it to each delivery, so it contains only what deliveries need. */
async function subscribe(z: ZObject, bundle: Bundle, type: EventType) {
  const client = createClient(z, bundle);
  await checkCode(client, readCodeFilters(bundle).id);
  const url = bundle.targetUrl as string;
  const { id, secret } = await client.webhooks.subscribe({ url, eventTypes: [type] });
  return { id, secret };
}

/** Never fails, as people then couldn't turn their Zap off. Zapier responds to later deliveries with 410. */
async function unsubscribe(z: ZObject, bundle: Bundle): Promise<Record<string, never>> {
  const id = storedText(bundle.subscribeData?.id);
  if (id === undefined) return {};
  const byHand = `Remove the webhook subscription ${id} in the app`;
  try {
    const result = await createClient(z, bundle).webhooks.unsubscribe(id, { totalTimeoutMs: UNSUBSCRIBE_MS });
    if (result === 'unsupported') z.console.log(`${byHand}. The API doesn't support removing it.`);
    // A service without a way to remove one may respond in the same way.
    if (result === 'already-gone') z.console.log(`${byHand} if it is still listed. The API didn't find it.`);
  } catch (error) {
    z.console.log(`${byHand}. Removing it failed: ${errorTitle(error)}`);
  }
  return {};
}

/** Rows for the editor's test that pass the filters: recent codes in the form of this event, or else the sample. */
async function recentEvents(z: ZObject, bundle: Bundle, type: EventType): Promise<Row[]> {
  const samples = [eventOutput(type).sample].filter(({ status }) => readCodeFilters(bundle).pass({ status }));
  if (EVENTS[type].about !== 'code') return samples;
  try {
    const codes = await recentFilteredCodes(bundle, createClient(z, bundle));
    const fitting = codes.filter((code) => fitsEvent(type, code)).slice(0, SAMPLE_ROWS);
    return fitting.length > 0 ? fitting.map((code) => recentCodeRow(z, type, code)) : samples;
  } catch (error) {
    // The trigger itself doesn't read codes, so a key without that scope gets the sample.
    if (!isOwnError(error, 403)) throw error;
    return samples;
  }
}

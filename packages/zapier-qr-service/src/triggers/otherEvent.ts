import type { EventType } from '@qr-service/core';
import { EVENTS, UNDOCUMENTED_EVENTS } from '@qr-service/core/connector';
import type { Bundle, PlainInputField, Trigger, ZObject } from 'zapier-platform-core';
import { CACHE_MS, readCache, withTimeout, writeCache } from '../client/cache.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { dropdownChoice } from '../inputs/fields.ts';
import { oneOfInput } from '../inputs/readInputs.ts';
import { eventOutput } from '../resources/event.ts';
import { hookOperation } from './hookTrigger.ts';
import { receiveDelivery } from './receiveDelivery.ts';

const EVENT_FIELD: PlainInputField = {
  key: 'event',
  label: 'Event',
  type: 'string',
  required: true,
  choices: UNDOCUMENTED_EVENTS.map((type) => dropdownChoice(type, EVENTS[type].label)),
  helpText:
    'The event that starts the Zap. Once it has happened while the Zap is on, a test shows all of its fields.',
};

const typeOf = (bundle: Bundle) => oneOfInput(bundle, EVENT_FIELD, UNDOCUMENTED_EVENTS) as EventType;

/** Where the last event of a type is kept for the editor's test, for a day: the API can't list events. */
const lastKey = (type: EventType) => `last event:${type}`;

async function receive(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>[]> {
  const type = typeOf(bundle);
  const rows = await receiveDelivery(z, bundle, type);
  if (rows.length > 0) await withTimeout(writeCache(z, lastKey(type), rows), CACHE_MS).catch(() => undefined);
  return rows;
}

/** The last event of this type, if Zapier still has one, or else the sample. */
async function recent(z: ZObject, bundle: Bundle): Promise<Record<string, unknown>[]> {
  const kept = await withTimeout(readCache(z, lastKey(typeOf(bundle))), CACHE_MS).catch(() => null);
  return (kept as Record<string, unknown>[] | null) ?? [eventOutput(typeOf(bundle)).sample];
}

export const otherEvent: Trigger = {
  key: 'other_event',
  noun: 'Event',
  display: {
    label: 'Other Event',
    description: 'Triggers when an event happens that has no trigger of its own, such as a finished export.',
  },
  operation: {
    ...hookOperation(typeOf, recent, [EVENT_FIELD]),
    perform: withZapierErrors(receive),
    ...eventOutput('export.ready'),
  },
};

import type { EventType } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import { startOf } from '../store/codes.ts';
import type { QrRecord } from '../store/records.ts';
import type { EmulatorContext } from './context.ts';

/** How many of the latest codes are searched for one that fits. */
const CODES_CONSIDERED = 50;

/** The code statuses that an event fits; an event that isn't listed fits any. `qr.deleted` fits no existing code. */
const FITTING: { readonly [Type in EventType]?: readonly QrRecord['status'][] } = {
  'qr.published': ['published'],
  'qr.archived': ['archived'],
  'qr.deleted': [],
};

/**
 * Data for an event that is emitted without any: about the latest code that fits, so that a receiver can look it up, or
 * otherwise the event's sample, with a new response ID.
 */
export function inventEventData(
  { store, summarize }: EmulatorContext,
  type: EventType,
): Record<string, unknown> {
  const sample = structuredClone<Record<string, unknown>>(EVENTS[type].sampleData);
  if ('responseId' in sample) return { ...sample, responseId: store.ids.newId('resp') };
  if (!('qr' in sample)) return sample;
  const start = startOf('descending', 0, store.qrCodes.snapshot());
  const latest = store.qrCodes.walk('descending', { ...start, count: CODES_CONSIDERED });
  const code = latest.find(({ status }) => FITTING[type]?.includes(status) ?? true);
  return code === undefined ? sample : { ...sample, qrId: code.id, source: 'app', qr: summarize(code) };
}

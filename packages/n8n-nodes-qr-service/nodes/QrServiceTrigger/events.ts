import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { EVENT_TYPES, EVENTS, type EventType } from '../../core.ts';
import { sentences } from '../shared/inputProperty.ts';

/** Value of the option for all events. */
export const ALL_EVENTS = '*';

/** The service's events as options, sorted by name. */
const EVENT_OPTIONS: INodePropertyOptions[] = [
  {
    name: 'All Events',
    value: ALL_EVENTS,
    action: 'On any event',
    description: 'Triggers on every event from the service',
  },
  ...EVENT_TYPES.map((type) => ({
    name: EVENTS[type].label,
    value: type,
    action: `On ${sentenceCase(EVENTS[type].label)}`,
    description: sentences(EVENTS[type].description),
  })),
].sort((a, b) => a.name.localeCompare(b.name));

/** Which events start the workflow. */
export const EVENTS_PROPERTY: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  options: EVENT_OPTIONS,
  default: [],
  description: 'The events that start the workflow',
  builderHint: {
    propertyHint:
      'An event can be delivered more than once: write rows by "eventId" (append or update), not with append alone. Keep polling triggers in another workflow.',
  },
};

const LABELS = JSON.stringify(EVENT_TYPES.map((type) => [type, EVENTS[type].label]));

/** What the canvas shows below the trigger: its only event, or how many it has. Expressions may return anything. */
export const EVENTS_SUBTITLE = [
  '={{ ((events) =>',
  `events.includes("${ALL_EVENTS}") ? "All events" :`,
  `events.length === 1 ? ${LABELS}.find(([type]) => type === events[0])?.[1] ?? "1 event" :`,
  'events.length === 0 ? "" : events.length + " events"',
  ')([...new Set([$parameter["events"]].flat()',
  '.flatMap((event) => typeof event === "string" ? event.split(",") : [])',
  '.map((event) => event.trim()).filter((event) => event !== ""))]) }}',
].join(' ');

/** The event types to subscribe to for the chosen options, sorted. */
export function chosenEventTypes(chosen: readonly string[]): string[] {
  return [...new Set(chosen.includes(ALL_EVENTS) ? EVENT_TYPES : chosen)].sort();
}

/** The event type that was chosen first; with All Events, that of a new QR code. */
export function firstChosen(chosen: readonly string[]): EventType {
  return EVENT_TYPES.find((type) => type === chosen[0]) ?? 'qr.created';
}

/** Converts a label from title case to the form used within a sentence: n8n itself would write "qr". */
function sentenceCase(label: string): string {
  return label.replaceAll(/\S+/g, (word) => (word === word.toUpperCase() ? word : word.toLowerCase()));
}

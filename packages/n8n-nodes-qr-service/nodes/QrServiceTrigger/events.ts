import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { EVENT_TYPES, EVENTS, type EventType } from '../../core.ts';
import { sentences } from '../shared/inputProperty.ts';

/** Value of the option for all events. */
export const ALL_EVENTS = '*';

/** The service's events as options, sorted by name. */
export const EVENT_OPTIONS: INodePropertyOptions[] = [
  {
    name: 'All Events',
    value: ALL_EVENTS,
    action: 'On any event',
    description: 'Triggers on every event of the service',
  },
  ...EVENT_TYPES.map((type) => ({
    name: EVENTS[type].label,
    value: type,
    action: `On ${inSentence(EVENTS[type].label)}`,
    description: sentences(EVENTS[type].description),
  })),
].sort((a, b) => a.name.localeCompare(b.name));

const LABELS = Object.fromEntries(EVENT_TYPES.map((type) => [type, EVENTS[type].label]));

/** What the canvas shows below the node's name: the label of the only event, or how many there are. */
export const SUBTITLE = `={{ ((chosen) => chosen.includes("${ALL_EVENTS}") ? "All events" : chosen.length === 1 ? ${JSON.stringify(LABELS)}[chosen[0]] ?? chosen[0] : chosen.length + " events")([$parameter["events"]].flat()) }}`;

/** Which events start the workflow. */
export const EVENTS_PROPERTY: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  options: EVENT_OPTIONS,
  default: [],
  description: 'The events that start the workflow',
};

/** The event types to subscribe to for the chosen options, sorted. */
export function chosenEventTypes(chosen: readonly string[]): string[] {
  return [...new Set(chosen.includes(ALL_EVENTS) ? EVENT_TYPES : chosen)].sort();
}

/** The event type that was chosen first; with All Events, that of a new QR code. */
export function firstChosen(chosen: readonly string[]): EventType {
  return EVENT_TYPES.find((type) => type === chosen[0]) ?? 'qr.created';
}

/** A label in lower case but for "QR": without it, n8n's node picker would show "On qR code created". */
function inSentence(label: string): string {
  return label.replaceAll(/\w+/g, (word) => (word === 'QR' ? word : word.toLowerCase()));
}

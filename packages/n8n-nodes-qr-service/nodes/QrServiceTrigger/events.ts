import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { EVENT_TYPES, EVENTS } from '../../core.ts';

/** Value of the option that stands for every event. */
export const ALL_EVENTS = '*';

/** The events of the service as options, in the order of their names. */
export const EVENT_OPTIONS: INodePropertyOptions[] = [
  { name: 'All Events', value: ALL_EVENTS, description: 'Triggers on every event of the service' },
  ...EVENT_TYPES.map((type) => ({
    name: EVENTS[type].label,
    value: type,
    description: EVENTS[type].description,
  })),
].sort((a, b) => a.name.localeCompare(b.name));

/** The choice of events. */
export const EVENTS_PROPERTY: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  options: EVENT_OPTIONS,
  default: [],
  description: 'The events that start the workflow',
};

/** The event types to subscribe to for what is chosen in the node, sorted. */
export function chosenEventTypes(chosen: readonly string[]): string[] {
  return [...new Set(chosen.includes(ALL_EVENTS) ? EVENT_TYPES : chosen)].sort();
}

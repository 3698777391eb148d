import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { EVENT_TYPES, EVENTS } from '../../core.ts';

/** Value of the option for all events. */
export const ALL_EVENTS = '*';

/** The service's events as options, sorted by name. */
export const EVENT_OPTIONS: INodePropertyOptions[] = [
  { name: 'All Events', value: ALL_EVENTS, description: 'Triggers on every event of the service' },
  ...EVENT_TYPES.map((type) => ({
    name: EVENTS[type].label,
    value: type,
    description: EVENTS[type].description,
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
};

/** The event types to subscribe to for the chosen options, sorted. */
export function chosenEventTypes(chosen: readonly string[]): string[] {
  return [...new Set(chosen.includes(ALL_EVENTS) ? EVENT_TYPES : chosen)].sort();
}

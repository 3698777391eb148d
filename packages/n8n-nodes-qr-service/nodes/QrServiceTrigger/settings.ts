import {
  NodeOperationError,
  type IHookFunctions,
  type INodeProperties,
  type INodePropertyOptions,
  type IWebhookFunctions,
} from 'n8n-workflow';
import { EVENT_TYPES, EVENTS, type EventType } from '../../deps.ts';
import { Parameters } from '../platform/parameters.ts';
import { collection, sentences } from '../platform/properties.ts';

/** Value of the option for all events. */
const ALL_EVENTS = '*';

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
    // n8n itself would write "qr".
    action: `On ${EVENTS[type].label.toLowerCase().replace('qr', 'QR')}`,
    description: sentences(EVENTS[type].description),
  })),
].sort((a, b) => a.name.localeCompare(b.name));

const EVENTS_PROPERTY: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  options: EVENT_OPTIONS,
  default: [],
  description: 'The events that start the workflow',
  builderHint: {
    propertyHint:
      'An event can be delivered more than once: write rows by "eventId" (append or update), not with append alone. Polling triggers must be in another workflow.',
  },
};

/** n8n sets the default once the option is added. Without it, a test waits for a real event. */
const SAMPLE_WHEN_TESTING = {
  displayName: 'Send a Sample When Testing',
  name: 'sampleWhenTesting',
  type: 'boolean',
  default: true,
  description:
    'Whether a test in the editor receives a sample of the first event you chose, right away and without the service. n8n must be able to reach itself at its webhook URL. Published workflows are not affected.',
} satisfies INodeProperties;

const OPTIONS = collection('Option', SAMPLE_WHEN_TESTING);

const NOTICE: INodeProperties = {
  displayName: 'Needs a public HTTPS URL and the scope webhooks:write.',
  name: 'notice',
  type: 'notice',
  default: '',
};

/** The trigger's parameters. */
export const PROPERTIES: INodeProperties[] = [NOTICE, EVENTS_PROPERTY, OPTIONS];

/** What the canvas shows below the trigger: its only event, or how many it has. */
export const SUBTITLE =
  '={{ ((events) => events.includes("*") ? "All events" : events.length > 1 ? events.length + " events" : events[0] ?? "")([$parameter["events"]].flat()) }}';

/** What the trigger's parameters say. */
export interface Settings {
  /** The event types to subscribe to, sorted. */
  eventTypes: string[];
  /** Whether every event starts the workflow, even of types that the service has added since. */
  isAny: boolean;
  /** The event type of the sample that a test receives; undefined if a test waits for a real event. */
  sampleType: EventType | undefined;
}

/** Reads the trigger's parameters. Throws for an invalid one, or if no event is chosen. */
export function readSettings(context: IHookFunctions | IWebhookFunctions): Settings {
  const parameters = Parameters.ofTrigger(context);
  const chosen = parameters.severalOf(EVENTS_PROPERTY);
  const sendsSample = parameters.in(OPTIONS).yesNo({ ...SAMPLE_WHEN_TESTING, default: false });
  const [first] = chosen;
  if (first === undefined)
    throw new NodeOperationError(context.getNode(), 'No event is chosen.', {
      description: 'Choose at least one under Events.',
    });
  const isAny = chosen.includes(ALL_EVENTS);
  return {
    eventTypes: [...new Set(isAny ? EVENT_TYPES : chosen)].sort(),
    isAny,
    sampleType: sendsSample ? (EVENT_TYPES.find((type) => type === first) ?? 'qr.created') : undefined,
  };
}

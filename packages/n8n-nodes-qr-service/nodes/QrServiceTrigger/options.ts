import type { INodeProperties } from 'n8n-workflow';
import type { LIMITS } from '../../core.ts';

/** What to know before publishing. */
export const NOTICE = [
  'The API key needs the scope webhooks:write.',
  'Events can only be delivered to a public HTTPS address. Without one, use a tunnel or the polling trigger.',
  'Use a separate workflow for polling triggers such as Gmail: in the same workflow, they can make this trigger lose events.',
].join(' ');

export const RAW = {
  displayName: 'Raw Event',
  name: 'raw',
  type: 'boolean',
  default: false,
  description:
    'Whether to return the event as the service sent it, with nested data, instead of as a flat item. The fields eventId and deliveryId are added.',
} satisfies INodeProperties;

export const SAMPLE_WHEN_TESTING = {
  displayName: 'Send a Sample When Testing',
  name: 'sampleWhenTesting',
  type: 'boolean',
  default: false,
  description:
    'Whether to receive a sample of the first event you chose as soon as you test the trigger in the editor. No request is sent to the service, and no public address is needed. Published workflows are not affected.',
} satisfies INodeProperties;

export const TOLERANCE = {
  displayName: 'Tolerance for Late Deliveries',
  name: 'toleranceSeconds',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 86400 },
  default: 300,
  description:
    'Maximum signature age, in seconds. Increase this only if the service retries deliveries with their original signature: anyone who captures a delivery can replay it for that long.',
} satisfies INodeProperties & { default: typeof LIMITS.signatureToleranceSeconds };

/** The trigger's options. */
export const OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [RAW, SAMPLE_WHEN_TESTING, TOLERANCE],
};

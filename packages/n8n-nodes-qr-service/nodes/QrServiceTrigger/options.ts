import type { INodeProperties } from 'n8n-workflow';

export const RAW = {
  displayName: 'Raw Event',
  name: 'raw',
  type: 'boolean',
  default: false,
  description:
    'Whether to give the event as the service sent it, data nested, rather than as one flat row. The fields eventId and deliveryId are added.',
} satisfies INodeProperties;

export const SAMPLE_WHEN_TESTING = {
  displayName: 'Send a Sample When Testing',
  name: 'sampleWhenTesting',
  type: 'boolean',
  default: false,
  description:
    'Whether a test in the editor gets a made-up event of the first chosen type at once. The service is not asked, and no public address is needed. An active workflow is not affected.',
} satisfies INodeProperties;

export const TOLERANCE = {
  displayName: 'Tolerance for Late Deliveries',
  name: 'toleranceSeconds',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 86400 },
  default: 300,
  description:
    "Seconds that may lie between a delivery's signature and its arrival. Raise this only if retries come with their first signature: for as long, whoever has captured a delivery can send it again.",
} satisfies INodeProperties;

/** The collection of options below the events. */
export const OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [RAW, SAMPLE_WHEN_TESTING, TOLERANCE],
};

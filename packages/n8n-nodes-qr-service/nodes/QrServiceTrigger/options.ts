import type { INodeProperties } from 'n8n-workflow';

export const RAW = {
  displayName: 'Raw Event',
  name: 'raw',
  type: 'boolean',
  default: false,
  description:
    'Whether to return the event as the service sent it, with nested data, instead of one flat row. The fields eventId and deliveryId are added.',
} satisfies INodeProperties;

export const SAMPLE_WHEN_TESTING = {
  displayName: 'Send a Sample When Testing',
  name: 'sampleWhenTesting',
  type: 'boolean',
  default: false,
  description:
    'Whether a test in the editor receives a made-up event of the first chosen type at once. No request is sent to the service, and no public address is needed. Active workflows are not affected.',
} satisfies INodeProperties;

export const TOLERANCE = {
  displayName: 'Tolerance for Late Deliveries',
  name: 'toleranceSeconds',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 86400 },
  default: 300,
  description:
    'Maximum signature age, in seconds. Increase this only if retries keep their first signature: anyone who has captured a delivery can replay it for that long.',
} satisfies INodeProperties;

/** The trigger's options. */
export const OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [RAW, SAMPLE_WHEN_TESTING, TOLERANCE],
};

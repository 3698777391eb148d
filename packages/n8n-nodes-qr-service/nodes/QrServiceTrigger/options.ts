import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';
import { LIMITS } from '../../core.ts';

/** What the node's options say. */
export interface TriggerOptions {
  raw: boolean;
  sampleWhenTesting: boolean;
  /** Seconds. */
  toleranceSeconds: number;
}

/** The options, each with its default where it was not added. */
export function readOptions(context: IHookFunctions | IWebhookFunctions): TriggerOptions {
  const {
    raw = false,
    sampleWhenTesting = false,
    toleranceSeconds = LIMITS.signatureToleranceSeconds,
  } = context.getNodeParameter('options', {}) as Partial<TriggerOptions>;
  return { raw, sampleWhenTesting, toleranceSeconds };
}

/** The collection of options below the events. */
export const OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [
    {
      displayName: 'Raw Event',
      name: 'raw',
      type: 'boolean',
      default: false,
      description:
        'Whether to give the event as the service sent it, data nested, rather than as one flat row. The fields eventId and deliveryId are added.',
    },
    {
      displayName: 'Send a Sample When Testing',
      name: 'sampleWhenTesting',
      type: 'boolean',
      default: false,
      description:
        'Whether a test in the editor gets a made-up event of the first chosen type at once. The service is not asked, and no public address is needed. An active workflow is not affected.',
    },
    {
      displayName: 'Tolerance for Late Deliveries',
      name: 'toleranceSeconds',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: 86400 },
      default: 300,
      description:
        "Seconds that may lie between a delivery's signature and its arrival. Raise this only if retries come with their first signature: for as long, whoever has captured a delivery can send it again.",
    },
  ],
};

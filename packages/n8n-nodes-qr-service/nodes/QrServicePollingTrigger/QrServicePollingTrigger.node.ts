import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { BRAND } from '../../core.ts';
import { toNodeError } from '../shared/toNodeError.ts';
import { poll } from './poll.ts';

/** The polling trigger: changed codes and scans, for those who have no public address. */
export class QrServicePollingTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: `${BRAND.name} Polling Trigger`,
    name: 'qrServicePollingTrigger',
    icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["watch"] === "scans" ? "Scans" : "Changed QR codes" }}',
    description:
      'Starts the workflow when QR codes have changed or scans have come in; needs no public address',
    defaults: { name: `${BRAND.name} Polling Trigger` },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'qrServiceApi', required: true, testedBy: 'testConnection' }],
    properties: [
      {
        displayName: 'Watch',
        name: 'watch',
        type: 'options',
        required: true,
        noDataExpression: true,
        options: [
          {
            name: 'Changed QR Codes',
            value: 'changedCodes',
            description: 'QR codes created or changed since the last poll',
          },
          {
            name: 'Scans',
            value: 'scans',
            description:
              'Scans since the last poll. The service sends no event for a scan, so this is the way to get them.',
          },
        ],
        default: 'changedCodes',
        description: 'What to watch for',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add Option',
        displayOptions: { hide: { watch: ['scans'] } },
        default: {},
        options: [
          {
            displayName: 'Only New',
            name: 'onlyNew',
            type: 'boolean',
            default: false,
            description:
              'Whether each QR code comes once only, the first time that it is seen. Codes that exist when this is switched on never come, however often they are edited.',
          },
          {
            displayName: 'Only Published',
            name: 'onlyPublished',
            type: 'boolean',
            default: false,
            description:
              'Whether QR codes that are not published are left out. Such a code comes as soon as it is published.',
          },
        ],
      },
    ],
  };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    try {
      return await poll(this);
    } catch (error) {
      throw toNodeError(this.getNode(), error);
    }
  }
}

import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { BRAND } from '../../core.ts';
import { CREDENTIAL_NAME } from '../shared/credentials.ts';
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
    subtitle: '={{ $parameter["watch"] }}',
    description:
      'Starts the workflow when QR codes have changed or scans have come in; needs no public address',
    defaults: { name: `${BRAND.name} Polling Trigger` },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIAL_NAME, required: true }],
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

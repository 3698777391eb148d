import type { INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { BRAND } from '../../../core.ts';
import { CREDENTIAL_NAME } from '../../shared/credentials.ts';
import { accountProperties } from '../actions/account/index.ts';
import { qrCodeProperties } from '../actions/qrCode/index.ts';
import { scanProperties } from '../actions/scan/index.ts';

/** What the editor knows of the action node. */
export const nodeDescription: INodeTypeDescription = {
  displayName: BRAND.name,
  name: 'qrService',
  icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
  group: ['transform'],
  version: 1,
  subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
  description: 'Create, publish, retarget and render QR codes, and read their scans',
  defaults: { name: BRAND.name },
  usableAsTool: true,
  inputs: [NodeConnectionTypes.Main],
  outputs: [NodeConnectionTypes.Main],
  credentials: [{ name: CREDENTIAL_NAME, required: true }],
  properties: [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      options: [
        { name: 'Account', value: 'account' },
        { name: 'QR Code', value: 'qrCode' },
        { name: 'Scan', value: 'scan' },
      ],
      default: 'qrCode',
    },
    ...accountProperties,
    ...qrCodeProperties,
    ...scanProperties,
  ],
};

import type { INodeProperties } from 'n8n-workflow';

/** What the node works on. */
export const resourceProperty: INodeProperties = {
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
};

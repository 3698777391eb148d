import type { INodeProperties } from 'n8n-workflow';
import { showFor } from '../../descriptions/showFor.ts';
import * as getAll from './getAll.operation.ts';

/** The Operation parameter of scans. */
export const scanOperation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Get Many',
      value: 'getAll',
      description: "Get many scans of QR codes, as far as the workspace's privacy settings allow",
      action: 'Get many scans',
    },
  ],
  default: 'getAll',
};

/** Parameters of the scan operations. */
export const scanProperties: INodeProperties[] = [
  ...showFor('scan', [], [scanOperation]),
  ...getAll.description,
];

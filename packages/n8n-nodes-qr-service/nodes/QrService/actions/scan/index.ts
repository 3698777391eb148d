import type { INodeProperties } from 'n8n-workflow';
import { showFor } from '../../descriptions/showFor.ts';
import * as getAll from './getAll.operation.ts';

/** Operations on scans. */
export const scanProperties: INodeProperties[] = [
  ...showFor(
    'scan',
    [],
    [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        options: [
          {
            name: 'Get Many',
            value: 'getAll',
            description: 'Get many scans, as far as the workspace’s privacy settings allow',
            action: 'Get many scans of QR codes',
          },
        ],
        default: 'getAll',
      },
    ],
  ),
  ...getAll.description,
];

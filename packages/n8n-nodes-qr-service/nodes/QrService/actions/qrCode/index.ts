import type { INodeProperties } from 'n8n-workflow';
import { qrCodeIdProperty } from '../../descriptions/qrCodeId.ts';
import { showFor } from '../../descriptions/showFor.ts';
import * as create from './create.operation.ts';
import * as getAll from './getAll.operation.ts';
import * as render from './render.operation.ts';
import * as retarget from './retarget.operation.ts';

/** Operations on QR codes. */
export const qrCodeProperties: INodeProperties[] = [
  ...showFor(
    'qrCode',
    [],
    [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        options: [
          {
            name: 'Create',
            value: 'create',
            description: 'Create a QR code. It resolves only once it is published.',
            action: 'Create a QR code',
          },
          {
            name: 'Get',
            value: 'get',
            description: 'Get a QR code',
            action: 'Get a QR code',
          },
          {
            name: 'Get Many',
            value: 'getAll',
            description: 'Get many QR codes, for example those changed since a time',
            action: 'Get many QR codes',
          },
          {
            name: 'Publish',
            value: 'publish',
            description: 'Publish a QR code, so that its short link resolves',
            action: 'Publish a QR code',
          },
          {
            name: 'Render',
            value: 'render',
            description: 'Download the image of a QR code as PNG, SVG or PDF',
            action: 'Render a QR code',
          },
          {
            name: 'Retarget',
            value: 'retarget',
            description: 'Change where a printed (dynamic) QR code points, without printing it again',
            action: 'Retarget a QR code',
          },
        ],
        default: 'create',
      },
    ],
  ),
  ...showFor('qrCode', ['get', 'publish', 'render', 'retarget'], [qrCodeIdProperty]),
  ...create.description,
  ...getAll.description,
  ...render.description,
  ...retarget.description,
];

import type { INodeProperties } from 'n8n-workflow';
import { qrCodeIdProperty } from '../../descriptions/qrCodeId.ts';
import { showFor } from '../../descriptions/showFor.ts';
import * as create from './create.operation.ts';
import * as get from './get.operation.ts';
import * as getAll from './getAll.operation.ts';
import * as publish from './publish.operation.ts';
import * as render from './render.operation.ts';
import * as retarget from './retarget.operation.ts';

/** The Operation parameter of QR codes. */
export const qrCodeOperation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Create',
      value: 'create',
      description: 'Create a QR code for a web address and publish it, so that its short link works',
      action: 'Create a QR code for a web address',
    },
    {
      name: 'Get',
      value: 'get',
      description: 'Get a QR code: its name, status, short link and when it last changed',
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
      description: 'Publish a QR code, so that its short link works. Before, a scan leads nowhere.',
      action: 'Publish a QR code so that its short link works',
    },
    {
      name: 'Render',
      value: 'render',
      description: 'Add the image of a QR code to the item as a PNG, SVG or PDF file for the next nodes',
      action: 'Render a QR code as an image file',
    },
    {
      name: 'Retarget',
      value: 'retarget',
      description: 'Change where a printed (dynamic) QR code points, without printing it again',
      action: 'Change where a QR code points',
    },
  ],
  default: 'create',
};

/** Parameters of the QR code operations. */
export const qrCodeProperties: INodeProperties[] = [
  ...showFor('qrCode', [], [qrCodeOperation]),
  ...showFor('qrCode', ['get', 'publish', 'render', 'retarget'], [qrCodeIdProperty]),
  ...create.description,
  ...get.description,
  ...getAll.description,
  ...publish.description,
  ...render.description,
  ...retarget.description,
];

import type { INodeProperties } from 'n8n-workflow';
import { UPSERT_LABEL } from '../../../core.ts';
import {
  operationDescription,
  operationProperty,
  qrCodeIdProperty,
  showFor,
} from '../common/descriptions.ts';
import * as create from './create.ts';
import * as find from './find.ts';
import * as getAll from './getAll.ts';
import * as publish from './publish.ts';
import * as render from './render.ts';
import * as retarget from './retarget.ts';
import * as upsert from './upsert.ts';

/** The Operation parameter of QR codes. */
export const qrCodeOperation = operationProperty(
  [
    {
      name: 'Create',
      value: 'create',
      description: operationDescription('create'),
      action: 'Create QR code',
    },
    {
      name: UPSERT_LABEL,
      value: 'upsert',
      description: operationDescription('upsert'),
      action: 'Create or update QR code',
    },
    {
      name: 'Download Image',
      value: 'render',
      description: operationDescription('render'),
      action: 'Download QR code image',
    },
    {
      name: 'Find',
      value: 'find',
      description: 'Search for QR codes by name, short link or ID',
      action: 'Find QR codes by name or short link',
    },
    {
      name: 'Get',
      value: 'get',
      description: 'Get a QR code, including its name, status and short link',
      action: 'Get QR code',
    },
    {
      name: 'Get Many',
      value: 'getAll',
      description: 'Get many QR codes, for example those updated since a given time',
      action: 'Get many QR codes',
    },
    {
      name: 'Publish',
      value: 'publish',
      description: operationDescription('publish'),
      action: 'Publish QR code',
    },
    {
      name: 'Update Destination',
      value: 'retarget',
      description: operationDescription('retarget'),
      action: 'Update QR code destination',
    },
  ],
  'create',
);

/** Parameters of the QR code operations. */
export const qrCodeProperties: INodeProperties[] = [
  ...showFor('qrCode', [], [qrCodeOperation]),
  ...showFor('qrCode', ['get', 'publish', 'render', 'retarget'], [qrCodeIdProperty]),
  ...create.description,
  ...find.description,
  ...getAll.description,
  ...publish.description,
  ...render.description,
  ...retarget.description,
  ...upsert.description,
];

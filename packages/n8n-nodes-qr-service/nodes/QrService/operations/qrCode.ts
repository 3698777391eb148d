import type { INodeProperties } from 'n8n-workflow';
import { ACTIONS } from '../../../deps.ts';
import { operationProperty, qrCodeIdProperty, showFor } from '../common/descriptions.ts';
import * as create from './create.ts';
import * as find from './find.ts';
import * as getAll from './getAll.ts';
import * as publish from './publish.ts';
import * as render from './render.ts';
import * as retarget from './retarget.ts';
import * as upsert from './upsert.ts';

/** The Operation parameter of QR codes. */
export const qrCodeOperation = operationProperty('create', [
  ['create', 'Create', 'Create QR code', describe('create')],
  ['upsert', ACTIONS.upsert.label, 'Create or update QR code', describe('upsert')],
  ['render', 'Download Image', 'Download QR code image', describe('render')],
  ['find', 'Find', 'Find QR codes by name or short link', 'Search for QR codes by name, short link or ID'],
  ['get', 'Get', 'Get QR code', 'Get a QR code, including its name, status and short link'],
  [
    'getAll',
    'Get Many',
    'Get many QR codes',
    'Get many QR codes, for example those updated since a given time',
  ],
  ['publish', 'Publish', 'Publish QR code', describe('publish')],
  ['retarget', 'Update Destination', 'Update QR code destination', describe('retarget')],
]);

/** What an operation does, in n8n's style: "Create a …". */
function describe(action: keyof typeof ACTIONS): string {
  const { command, object } = ACTIONS[action];
  return `${command} ${object}`;
}

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

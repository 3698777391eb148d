import type { INodeProperties } from 'n8n-workflow';
import type { Operation } from './common/operation.ts';
import * as account from './operations/account.ts';
import * as countScans from './operations/countScans.ts';
import * as create from './operations/create.ts';
import * as find from './operations/find.ts';
import * as get from './operations/get.ts';
import * as getAll from './operations/getAll.ts';
import * as publish from './operations/publish.ts';
import * as render from './operations/render.ts';
import * as retarget from './operations/retarget.ts';
import * as scans from './operations/scans.ts';
import * as upsert from './operations/upsert.ts';

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

export interface Resource {
  /** By their values under Operation, in the order of the form. The first one is the default. */
  operations: Record<string, Operation>;
  operationProperty: INodeProperties;
}

/** What can be done with each resource, by its value. */
export const RESOURCES: Record<string, Resource> = {
  account: resourceWith({ get: account }),
  qrCode: resourceWith({ create, upsert, render, find, get, getAll, publish, retarget }),
  scan: resourceWith({ count: countScans, getAll: scans }),
};

function resourceWith(operations: Record<string, Operation>): Resource {
  const options = Object.entries(operations).map(([value, { option }]) => ({ value, ...option }));
  const usual = options[0]?.value;
  const operationProperty: INodeProperties = {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    options,
    default: usual,
  };
  return { operations, operationProperty };
}

/** The node's parameters. */
export const PROPERTIES: INodeProperties[] = [
  resourceProperty,
  ...Object.entries(RESOURCES).flatMap(([resource, { operations, operationProperty }]) => [
    showFor({ resource: [resource] }, operationProperty),
    ...Object.entries(operations).flatMap(([operation, { properties }]) =>
      properties.map((property) => showFor({ resource: [resource], operation: [operation] }, property)),
    ),
  ]),
];

/** The property, shown only under these conditions and its own. */
function showFor(conditions: Record<string, string[]>, property: INodeProperties): INodeProperties {
  const { displayOptions } = property;
  // The own ones last: n8n shows a property as soon as it reaches a condition on a parameter with an expression.
  const show = { ...conditions, ...displayOptions?.show };
  return { ...property, displayOptions: { ...displayOptions, show } };
}

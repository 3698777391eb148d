import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { WorkflowJson } from '../../../engines/n8n/index.ts';
import { PACKAGE_DIR } from './world.ts';

/** Name of the node under test. */
export const NODE = 'QR Service';

const QR_SERVICE = 'n8n-nodes-qr-service.qrService';

function node(name: string, type: string, parameters: INodeParameters, settings: Partial<INode> = {}): INode {
  return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters, ...settings };
}

/** A workflow that passes rows to one action node. */
export function action(
  parameters: INodeParameters,
  rows: IDataObject[] = [{}],
  settings: Partial<INode> = {},
): WorkflowJson {
  return {
    id: 'action',
    name: 'Action',
    nodes: [
      node('Rows', 'n8n-nodes-base.manualTrigger', {}),
      node(NODE, QR_SERVICE, { resource: 'qrCode', ...parameters }, settings),
    ],
    connections: { Rows: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
    pinData: { Rows: rows.map((json) => ({ json })) },
  };
}

/** The same, with rows that come from the package's polling trigger. */
export function afterPolls(workflow: WorkflowJson): WorkflowJson {
  const type = 'n8n-nodes-qr-service.qrServicePollingTrigger';
  return {
    ...workflow,
    nodes: workflow.nodes.map((one) => (one.name === 'Rows' ? { ...one, type } : one)),
  };
}

/** Parameters of Create with each row's name and target. Otherwise the defaults, so codes are published. */
export const CREATE_LIVE = {
  operation: 'create',
  name: '={{ $json.name }}',
  targetUrl: '={{ $json.targetUrl }}',
};

/** The same for unpublished codes. */
export const CREATE = { ...CREATE_LIVE, publish: false };

/** A resource locator. */
export const codeBy = (mode: 'id' | 'list' | 'url', value: string) => ({ __rl: true as const, mode, value });

/** Parameters of Create or Update that take everything from a row. */
export const UPSERT: INodeParameters = {
  operation: 'upsert',
  qrCodeId: codeBy('id', '={{ $json.code }}'),
  matchBy: '={{ $json.code ? "id" : "name" }}',
  name: '={{ $json.name }}',
  targetUrl: '={{ $json.url }}',
};

/** The instant trigger, followed by a node that passes items on. */
export function onEvents(events: string[], id = 'events', options: IDataObject = {}): WorkflowJson {
  return {
    id,
    name: 'Events',
    nodes: [
      node(
        NODE,
        'n8n-nodes-qr-service.qrServiceTrigger',
        { events, options: options as INodeParameters },
        { webhookId: `${id}-webhook` },
      ),
      node('Rows', 'n8n-nodes-base.noOp', {}),
    ],
    connections: { [NODE]: { main: [[{ node: 'Rows', type: 'main', index: 0 }]] } },
  };
}

/** The polling trigger, followed by a node that passes items on. */
export function onPoll(watch: 'changedCodes' | 'scans', options: IDataObject = {}): WorkflowJson {
  return {
    id: `poll-${watch}`,
    name: 'Poll',
    nodes: [
      node(NODE, 'n8n-nodes-qr-service.qrServicePollingTrigger', { watch, options } as INodeParameters),
      node('Rows', 'n8n-nodes-base.noOp', {}),
    ],
    connections: { [NODE]: { main: [[{ node: 'Rows', type: 'main', index: 0 }]] } },
  };
}

/** A workflow with a polling trigger added. */
export function besidePolling(workflow: WorkflowJson): WorkflowJson {
  const polling = node('Polls', 'n8n-nodes-qr-service.qrServicePollingTrigger', { watch: 'changedCodes' });
  return { ...workflow, nodes: [...workflow.nodes, polling] };
}

/** An example workflow of the package. */
export function example(name: string): WorkflowJson {
  return JSON.parse(readFileSync(join(PACKAGE_DIR, 'examples', `${name}.json`), 'utf8')) as WorkflowJson;
}

/** Whether n8n can publish a workflow: it has a trigger other than a click. */
export const startsByItself = ({ nodes }: WorkflowJson): boolean =>
  nodes.some(({ type }) => /Trigger$/.test(type) && !/\.(?:manual|executeWorkflow)Trigger$/.test(type));

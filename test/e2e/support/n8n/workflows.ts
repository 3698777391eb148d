import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { WorkflowJson } from '../../../../engines/n8n/index.ts';
import type { CredentialRef } from './n8nRest.ts';
import { CREDENTIAL_TYPE, PACKAGE_DIR } from './world.ts';

const PACKAGE = 'n8n-nodes-qr-service';
export const ACTION = `${PACKAGE}.qrService`;
export const TRIGGER = `${PACKAGE}.qrServiceTrigger`;
export const POLLING_TRIGGER = `${PACKAGE}.qrServicePollingTrigger`;
export const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
export const NO_OP = 'n8n-nodes-base.noOp';

/** Third-party nodes that would need an account. */
const THIRD_PARTIES = new Set(['googleSheets', 'hubspot', 'slack'].map((name) => `n8n-nodes-base.${name}`));

/** A node without the settings that `chain` fills in. */
export type Step = Partial<INode> & { name: string; type: string };

/** Creates a workflow of nodes in sequence. The package's nodes get the credential. */
export function chain(name: string, credential: CredentialRef, steps: readonly Step[]): WorkflowJson {
  const nodes = steps.map((step, index): INode => ({
    id: randomUUID(),
    typeVersion: 1,
    position: [index * 220, 0],
    parameters: {},
    ...(step.type === TRIGGER || step.type.endsWith('.webhook') ? { webhookId: randomUUID() } : {}),
    ...step,
  }));
  return withCredential(
    {
      id: name,
      name,
      nodes,
      connections: Object.fromEntries(
        nodes
          .slice(1)
          .map((node, index) => [
            nodes[index]!.name,
            { main: [[{ node: node.name, type: 'main' as const, index: 0 }]] },
          ]),
      ),
      settings: { executionOrder: 'v1' },
    },
    credential,
  );
}

/** Creates a workflow with a manual trigger that outputs these rows, followed by the given nodes. */
export function workflowWithRows(
  name: string,
  credential: CredentialRef,
  rows: readonly IDataObject[],
  ...steps: Step[]
): WorkflowJson {
  return {
    ...chain(name, credential, [{ name: 'Rows', type: MANUAL_TRIGGER }, ...steps]),
    pinData: { Rows: rows.map((json) => ({ json })) },
  };
}

/** Rows to create codes from. */
export const rows = (count: number): { name: string; targetUrl: string }[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `Row ${index}`,
    targetUrl: `https://example.com/${index}`,
  }));

/** Creates an unpublished code for each row. */
export const CREATE: Step = {
  name: 'Create',
  type: ACTION,
  parameters: {
    resource: 'qrCode',
    operation: 'create',
    name: '={{ $json.name }}',
    targetUrl: '={{ $json.targetUrl }}',
    publish: false,
  },
};

/** Renders each item's code as a PNG. */
export const RENDER: Step = {
  name: 'Render',
  type: ACTION,
  parameters: {
    resource: 'qrCode',
    operation: 'render',
    qrCodeId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
  },
};

/** Polls every five seconds. n8n rejects a schedule with several seconds as too short, but accepts several schedules. */
export const POLL_OFTEN: INodeParameters = {
  pollTimes: {
    item: Array.from({ length: 12 }, (_, index) => ({
      mode: 'custom',
      cronExpression: `${index * 5} * * * * *`,
    })),
  },
};

/** Names of the package's example workflows. */
export const exampleNames = (): string[] =>
  readdirSync(join(PACKAGE_DIR, 'examples'))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.replace(/\.json$/, ''));

/** An example workflow of the package, unchanged. */
export const exampleFile = (name: string): WorkflowJson =>
  JSON.parse(readFileSync(join(PACKAGE_DIR, 'examples', `${name}.json`), 'utf8')) as WorkflowJson;

/** Replaces a third-party node by one that passes items on. */
const passThrough = (): Partial<INode> => ({ type: NO_OP, typeVersion: 1, parameters: {} });

/**
 * An example workflow of the package with the credential. Third-party nodes are replaced, by default by ones that
 * pass items on, and polling triggers poll every five seconds.
 */
export function example(
  name: string,
  credential: CredentialRef,
  standIn: (nodeName: string) => Partial<INode> = passThrough,
): WorkflowJson {
  const workflow = exampleFile(name);
  for (const node of workflow.nodes) {
    if (node.type === POLLING_TRIGGER) Object.assign(node.parameters, POLL_OFTEN);
    if (!THIRD_PARTIES.has(node.type)) continue;
    Object.assign(node, standIn(node.name));
    delete node.credentials;
  }
  return withCredential(workflow, credential);
}

/** Gives the nodes of the package a credential. */
export function withCredential(workflow: WorkflowJson, credential: CredentialRef): WorkflowJson {
  for (const node of workflow.nodes)
    if (node.type.startsWith(`${PACKAGE}.`)) node.credentials = { [CREDENTIAL_TYPE]: credential };
  return workflow;
}

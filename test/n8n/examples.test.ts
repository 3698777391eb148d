import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import { SAMPLE_QR_CODE, SAMPLE_SCAN } from '@qr-service/core/connector';
import type { EventType } from '@qr-service/core';
import type { IConnections, INode } from 'n8n-workflow';
import { PACKAGE_DIR, startWorld, type World } from './support/world.ts';
import { example, startsByItself } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const FILES = readdirSync(join(PACKAGE_DIR, 'examples'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace(/\.json$/, ''));

/** Nodes of other services, which need an account there. An agent's model does. */
const OTHER_ACCOUNTS = /\.(?:agent|airtable|emailSend|googleDrive|googleSheets|hubspot|slack)$/;

/** The names of all nodes that a node's output can reach. */
function nodesAfter(connections: IConnections, name: string, found = new Set<string>()): Set<string> {
  for (const { node } of (connections[name]?.main ?? []).flatMap((targets) => targets ?? [])) {
    if (found.has(node)) continue;
    nodesAfter(connections, node, found.add(node));
  }
  return found;
}

// A real n8n and the demo run them.
describe.each(FILES)('%s', (file) => {
  const workflow = example(file);

  test('runs as imported without an account but the service, creates nothing before others have one, and says how to try it', () => {
    const isPinned = ({ name }: INode) => Object.hasOwn(workflow.pinData!, name);
    // Tools and models run only with their agent.
    const isSubNode = ({ name }: INode) =>
      Object.keys(workflow.connections[name] ?? {}).some((type) => type !== 'main');
    const running = workflow.nodes.filter(
      (node) => node.disabled !== true && !isPinned(node) && !isSubNode(node),
    );
    expect(running.filter(({ type }) => OTHER_ACCOUNTS.test(type))).toEqual([]);
    const needing = workflow.nodes.filter(({ type, disabled }) => OTHER_ACCOUNTS.test(type) && !disabled);
    for (const { name, type, parameters } of running) {
      if (
        !type.endsWith('.qrService') ||
        /^(?:find|get|getAll|render)$/.test(parameters['operation'] as string)
      )
        continue;
      const later = nodesAfter(workflow.connections, name);
      expect(needing.filter((node) => later.has(node.name))).toEqual([]);
    }
    expect(workflow.nodes[0]!.parameters['content']).toContain('**Try it');
  });

  // n8n keeps the ID of an imported trigger, so a second import could not be published. It adds an ID when it saves.
  // Until then, the name is part of the URL, where n8n doesn't decode it.
  test('gets its own address with each import, by the editor and by the command line', () => {
    expect(workflow.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
    const triggers = workflow.nodes.filter(({ type }) => type.endsWith('.qrServiceTrigger'));
    expect(triggers.filter(({ name }) => !/^\w+$/.test(name))).toEqual([]);
  });

  test('explains its setup, contains no credential and is inactive', () => {
    const notes = workflow.nodes.filter(({ type }) => type.endsWith('.stickyNote'));
    expect(notes[0]!.parameters['content']).toMatch(/^## .*[Cc]hoose .*credential/s);
    expect(workflow.nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
    expect(workflow).toMatchObject({ active: false });
  });

  test('says to publish the workflow if, and only if, n8n can start it by itself', () => {
    const notes = JSON.stringify(workflow.nodes.map(({ parameters }) => parameters['content']));
    expect(/publish this workflow|publish the workflow/i.test(notes)).toBe(startsByItself(workflow));
  });
});

test.each([
  ['signed-events-to-rows', ['qr.published', 'feedback.response_received']],
  ['low-score-to-message', ['feedback.low_score_received']],
  ['catch-up-after-outage-events', ['qr.updated']],
] satisfies [string, EventType[]][])(
  "the data pinned to the trigger of %s matches the core's samples",
  async (name, types) => {
    const workflow = example(name);
    expect(workflow.pinData!['Events']).toEqual(
      types.map((type) => ({ json: eventRow(sampleEvent(type), 'dlv_sample') })),
    );
    const { error } = await world.engine.runWorkflow(workflow, { startNode: 'Events' });
    expect(error).toBeUndefined();
  },
);

test("the data pinned to polling triggers matches the core's samples", () => {
  expect(example('new-scans').pinData!['QR Service Polling Trigger']).toEqual([{ json: SAMPLE_SCAN }]);
  expect(example('catch-up-after-outage').pinData).toMatchObject({
    'Changed Codes': [{ json: SAMPLE_QR_CODE }],
    Events: [{ json: eventRow(sampleEvent('qr.updated'), 'dlv_sample') }],
  });
});

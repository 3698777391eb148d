import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES, SCOPES } from '@qr-service/core';
import { OPERATION_SCOPES, SAMPLE_QR_CODE, SAMPLE_SCAN } from '@qr-service/core/connector';
import { eventRow, sampleEvent } from '@qr-service/core/webhook';
import type { IConnections, INode, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { NodeHelpers } from '../../engines/n8n/n8nWorkflow.ts';
import { PackageHost } from '../../engines/n8n/PackageHost.ts';
import { example, startsByItself } from './support/workflows.ts';
import { MANIFEST, PACKAGE_DIR, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

let host: PackageHost;
beforeAll(async () => {
  host = new PackageHost(PACKAGE_DIR, {});
  await host.loader.loadAll();
});

test('n8n loads three nodes and a credential, with codex files and with icons for both themes', () => {
  const { nodes, credentials } = world.engine.loader.types;
  expect(nodes.map((node) => node.name).sort()).toEqual([
    'qrService',
    'qrServicePollingTrigger',
    'qrServiceTrigger',
  ]);
  expect(credentials.map(({ name }) => name)).toEqual(['qrServiceApi']);
  const icons = {
    light: 'icons/n8n-nodes-qr-service/dist/icons/qrService.svg',
    dark: 'icons/n8n-nodes-qr-service/dist/icons/qrService.dark.svg',
  };
  for (const { name } of nodes) {
    const description = world.descriptionOf(name);
    expect(description).toMatchObject({ iconUrl: icons, subtitle: expect.stringContaining('$parameter') });
    expect(description.codex).toMatchObject({ categories: expect.arrayContaining(['Marketing']) });
    expect(description.usableAsTool).toBe(name === 'qrService' ? true : undefined);
  }
  expect(credentials[0]).toMatchObject({ iconUrl: icons, supportedNodes: nodes.map(({ name }) => name) });
  const [light, dark] = ['qrService.svg', 'qrService.dark.svg'].map((file) =>
    readFileSync(join(PACKAGE_DIR, 'dist/icons', file), 'utf8'),
  );
  expect(light).not.toBe(dark);
});

test("each node tells n8n's AI when to use it, and only names nodes that exist", () => {
  const descriptions = world.engine.loader.types.nodes.map(({ name }) => world.descriptionOf(name));
  const others = descriptions.map(({ displayName }) => displayName);
  for (const { displayName, builderHint } of descriptions) {
    expect(builderHint!.searchHint).toMatch(/^.{100,500}\.$/);
    const named = builderHint!.searchHint!.match(/QR Service(?: Polling)?(?: Trigger)?/g) ?? [];
    expect(others).toEqual(expect.arrayContaining(named));
    expect([displayName, named.length]).not.toEqual([displayName, 0]);
    expect(named).not.toContain(displayName);
  }
});

interface Property {
  name: string;
  type?: string;
  displayName?: string;
  description?: string;
  action?: string;
  options?: { name: string; value?: unknown; action?: string }[];
  displayOptions?: { show?: Record<string, string[]> };
}
const propertiesOf = (node: string) => world.descriptionOf(node).properties as Property[];

test('resources, operations and parameters have the names that saved workflows rely on', () => {
  const operations = Object.fromEntries(
    propertiesOf('qrService')
      .filter(({ name }) => name === 'operation')
      .map(({ displayOptions, options }) => [
        displayOptions?.show?.['resource']?.[0],
        options?.map(({ value }) => value),
      ]),
  );
  expect(operations).toEqual({
    account: ['get'],
    qrCode: ['create', 'upsert', 'render', 'find', 'get', 'getAll', 'publish', 'retarget'],
    scan: ['count', 'getAll'],
  });
  expect([...new Set(propertiesOf('qrService').map(({ name }) => name))].sort()).toEqual(
    [
      ...['resource', 'operation', 'name', 'targetUrl', 'includeInputFields'],
      ...['publish', 'qrCodeId', 'url', 'format', 'binaryPropertyName', 'returnAll', 'limit', 'filters'],
      ...['search', 'exactMatch', 'matchBy', 'newestFirst', 'options', 'groupBy', 'includeQrCode'],
    ].sort(),
  );
  const events = propertiesOf('qrServiceTrigger').find(({ name }) => name === 'events');
  expect(events?.options?.map(({ value }) => value).sort()).toEqual(['*', ...EVENT_TYPES].sort());
});

test("what the nodes show follows n8n's rules, also where it comes from the core's inputs", () => {
  const described = (properties: Property[]): Property[] =>
    properties.flatMap((property) => [property, ...described((property.options ?? []) as Property[])]);
  const types =
    /^(?:boolean|collection|dateTime|fixedCollection|multiOptions|notice|number|options|resourceLocator|string)$/;
  const wrong: string[] = [];
  for (const node of ['qrService', 'qrServiceTrigger', 'qrServicePollingTrigger'])
    for (const { name, type, displayName, action, description } of described(propertiesOf(node))) {
      const shown = [displayName ?? name, action ?? 'None', description ?? 'None'];
      if (!shown.every((text) => /^[A-Z]/.test(text))) wrong.push(`${name}: ${shown.join()}`);
      if (type !== undefined && !types.test(type)) wrong.push(`${name}: ${type}`);
      // An event's description is the core's sentence.
      if (description === undefined || (type ?? action) === undefined) continue;
      const isOneSentence = !/[.!?] /.test(description);
      if (description.endsWith('.') === isOneSentence) wrong.push(`${name}: ${description}`);
      if (description.includes('`')) wrong.push(`${name}: ${description}`);
      if (type === 'boolean' && !description.startsWith('Whether ')) wrong.push(`${name}: ${description}`);
    }
  expect(wrong).toEqual([]);
});

test('dist contains only the bundle, the files that load it, codex files, icons and output schemas', () => {
  const files = readdirSync(join(PACKAGE_DIR, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tsbuildinfo'))
    .map((entry) => join(entry.parentPath, entry.name).slice(PACKAGE_DIR.length + 1))
    .filter((file) => !/^dist\/nodes\/\w+\/__schema__\/v[\d.]+\/[\w/]+\.json$/.test(file));
  const codex = MANIFEST.nodes.map((file) => file.replace(/\.js$/, '.json'));
  const scripts = ['dist/bundle.js', ...MANIFEST.nodes, ...MANIFEST.credentials];
  const icons = ['dist/icons/qrService.svg', 'dist/icons/qrService.dark.svg'];
  expect(files.sort()).toEqual([...scripts, ...codex, ...icons].sort());
});

// What the editor's node picker and canvas show. `test/e2e/n8n/steps/picker.ts` looks at the editor itself.
test("n8n's generator finds the events, and what the polling trigger watches, by these labels", () => {
  for (const node of ['qrServiceTrigger', 'qrServicePollingTrigger']) {
    const { displayName, properties } = world.descriptionOf(node);
    expect(displayName.toLowerCase()).toContain('trigger');
    const labels = properties.map((property) => property.displayName.toLowerCase());
    expect(labels.filter((label) => ['event', 'events', 'trigger on'].includes(label))).toHaveLength(1);
  }
  expect(
    propertiesOf('qrServicePollingTrigger')
      .find(({ name }) => name === 'watch')
      ?.options?.map(({ action }) => action),
  ).toEqual(['On new or changed QR code', 'On QR code scanned']);
});

test.each(['qrService', 'qrServiceTool'])('shows what a model has no use for only to people: %s', (name) => {
  const parameters = { resource: 'qrCode', operation: 'create' };
  const description = { ...world.descriptionOf('qrService'), name };
  const properties = propertiesOf('qrService');
  const all = [...properties, ...properties.flatMap(({ options = [] }) => options as Property[])];
  for (const hidden of ['includeInputFields', 'downloadImages']) {
    const property = all.find((one) => one.name === hidden)!;
    const isShown = NodeHelpers.displayParameter(parameters, property, { typeVersion: 1 }, description);
    expect([hidden, isShown]).toEqual([hidden, name === 'qrService']);
  }
});

/** The subtitle as the editor's canvas evaluates it. */
function subtitle(name: string, parameters: INodeParameters): unknown {
  const type = `n8n-nodes-qr-service.${name}`;
  const node: INode = { id: '1', name: 'Node', type, typeVersion: 1, position: [0, 0], parameters };
  const workflow = host.workflow({ nodes: [node], connections: {} });
  return workflow.expression.getSimpleParameterValue(
    workflow.getNode('Node')!,
    world.descriptionOf(name).subtitle,
    'internal',
    {},
    undefined,
    '[filled at execution time]',
  );
}

test('the subtitle on the canvas names the operation and the resource by their labels', () => {
  expect(subtitle('qrService', {})).toBe('Create: QR Code');
  const { properties } = world.descriptionOf('qrService');
  for (const { name, displayOptions, options } of properties.filter(
    (property) => property.name === 'operation',
  ))
    for (const { value, name: label } of options as INodePropertyOptions[]) {
      const [resource] = displayOptions!.show!['resource'] as string[];
      expect(subtitle('qrService', { resource: resource!, [name]: value })).toMatch(
        new RegExp(`^${label}: (?:QR Code|Scan|Account)$`),
      );
    }
});

test.each<[string, INodeParameters['events'], string]>([
  ['none', [], ''],
  ['one', ['qr.created'], 'qr.created'],
  ['several', ['qr.created', 'qr.deleted', 'export.ready'], '3 events'],
  ['all', ['*'], 'All events'],
  ['all and one', ['qr.created', '*'], 'All events'],
  ['an expression', '={{ ["qr.created", "qr.deleted"] }}', '2 events'],
])('the subtitle on the canvas counts the events: %s', (_what, events, expected) => {
  expect(subtitle('qrServiceTrigger', { events: events! })).toBe(expected);
});

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
  test('gets its own webhook URL with each import, by the editor and by the command line', () => {
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

test("the data pinned to the instant trigger matches the core's samples", async () => {
  const workflow = example('signed-events-to-rows');
  expect(workflow.pinData!['Events']).toEqual(
    (['qr.published', 'feedback.response_received'] as const).map((type) => ({
      json: eventRow(sampleEvent(type), 'dlv_sample'),
    })),
  );
  const { error } = await world.engine.runWorkflow(workflow, { startNode: 'Events' });
  expect(error).toBeUndefined();
});

test("the data pinned to polling triggers matches the core's samples", () => {
  expect(example('new-scans').pinData!['QR Service Polling Trigger']).toEqual([{ json: SAMPLE_SCAN }]);
  expect(example('catch-up-after-outage').pinData).toMatchObject({
    'Changed Codes': [{ json: SAMPLE_QR_CODE }],
    Events: [{ json: eventRow(sampleEvent('qr.updated'), 'dlv_sample') }],
  });
});

/** What the templates' operations call. */
const CALLS: Record<string, (keyof typeof OPERATION_SCOPES)[]> = {
  'qrCode create': ['qr.create'],
  'qrCode getAll': ['qr.list'],
  'qrCode render': ['qr.render'],
  'scan count': ['scans.list', 'qr.get'],
};

// A real n8n runs them: `npm run e2e -- n8n`.
test.each([
  'registration-to-ticket',
  'crm-deals-to-links',
  'airtable-to-drive-images',
  'daily-scan-report',
  'scan-milestones',
  'csv-to-zip',
  'image-in-a-cell',
  'check-printed-codes',
])('%s names the scopes that its API key needs, and no others', (name) => {
  const { nodes } = example(name);
  const calls = nodes.flatMap(
    ({ parameters }) =>
      CALLS[`${parameters['resource'] as string} ${parameters['operation'] as string}`] ?? [],
  );
  if (JSON.stringify(nodes).includes('"downloadImages"')) calls.push('qr.render');
  const needed = calls.map((call) => OPERATION_SCOPES[call]);
  const note = nodes[0]!.parameters['content'] as string;
  const named = SCOPES.filter((scope) => note.includes(`\`${scope}\``));
  expect(new Set(named)).toEqual(new Set(needed));
});

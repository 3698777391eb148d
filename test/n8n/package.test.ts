import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { EVENT_TYPES } from '@qr-service/core';
import { Core } from '../../engines/n8n/Core.ts';
import { createN8nEngine, type N8nEngine } from '../../engines/n8n/index.ts';
import { PACKAGE_DIR } from './support/world.ts';

const manifest = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as {
  n8n: { nodes: string[]; credentials: string[] };
};
const bundles = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

let engine: N8nEngine;
let core: Core;
beforeAll(async () => {
  engine = await createN8nEngine({ packageDir: PACKAGE_DIR, credentials: {} });
  core = new Core(PACKAGE_DIR, {});
  await core.loader.loadAll();
});

test('n8n loads three nodes and a credential, with codex files and with icons for both themes', () => {
  const { nodes, credentials } = engine.loader.types;
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
    const { description } = engine.loader.getNode(name).type as unknown as {
      description: Record<string, unknown>;
    };
    expect(description).toMatchObject({ iconUrl: icons, subtitle: expect.stringContaining('$parameter') });
    expect(description['codex']).toMatchObject({ categories: expect.arrayContaining(['Marketing']) });
    expect(description['usableAsTool']).toBe(name === 'qrService' ? true : undefined);
  }
  expect(credentials[0]).toMatchObject({ iconUrl: icons, supportedNodes: nodes.map(({ name }) => name) });
  const [light, dark] = ['qrService.svg', 'qrService.dark.svg'].map((file) =>
    readFileSync(join(PACKAGE_DIR, 'dist/icons', file), 'utf8'),
  );
  expect(light).not.toBe(dark);
});

test("each node tells n8n's AI when to use it, and only names nodes that exist", () => {
  const descriptions = engine.loader.types.nodes.map(
    ({ name }) => (engine.loader.getNode(name).type as INodeType).description,
  );
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
const propertiesOf = (node: string) =>
  (engine.loader.getNode(node).type as unknown as { description: { properties: Property[] } }).description
    .properties;

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
    scan: ['getAll'],
  });
  expect([...new Set(propertiesOf('qrService').map(({ name }) => name))].sort()).toEqual(
    [
      ...['resource', 'operation', 'name', 'targetUrl', 'includeInputFields'],
      ...['publish', 'qrCodeId', 'url', 'format', 'binaryPropertyName', 'returnAll', 'limit', 'filters'],
      ...['search', 'exactMatch', 'matchBy', 'newestFirst', 'options'],
    ].sort(),
  );
  const events = propertiesOf('qrServiceTrigger').find(({ name }) => name === 'events');
  expect(events?.options?.map(({ value }) => value).sort()).toEqual(['*', ...EVENT_TYPES].sort());
});

test("descriptions follow n8n's rules, including those derived from the core's inputs", () => {
  const described = (properties: Property[]): Property[] =>
    properties.flatMap((property) => [property, ...described((property.options ?? []) as Property[])]);
  const wrong: string[] = [];
  for (const node of ['qrService', 'qrServiceTrigger', 'qrServicePollingTrigger'])
    for (const { name, type, action, description } of described(propertiesOf(node))) {
      // An event's description is the core's sentence.
      if (description === undefined || (type ?? action) === undefined) continue;
      const isOneSentence = !/[.!?] /.test(description);
      if (description.endsWith('.') === isOneSentence) wrong.push(`${name}: ${description}`);
      if (description.includes('`')) wrong.push(`${name}: ${description}`);
      if (type === 'boolean' && !description.startsWith('Whether ')) wrong.push(`${name}: ${description}`);
    }
  expect(wrong).toEqual([]);
});

test('dist contains only the bundles, their codex files, the icons and the output schemas', () => {
  const files = readdirSync(join(PACKAGE_DIR, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tsbuildinfo'))
    .map((entry) => join(entry.parentPath, entry.name).slice(PACKAGE_DIR.length + 1))
    .filter((file) => !/^dist\/nodes\/\w+\/__schema__\/v[\d.]+\/[\w/]+\.json$/.test(file));
  const codex = manifest.n8n.nodes.map((file) => file.replace(/\.js$/, '.json'));
  const icons = ['dist/icons/qrService.svg', 'dist/icons/qrService.dark.svg'];
  expect(files.sort()).toEqual([...bundles, ...codex, ...icons].sort());
});

// What the editor's node picker and canvas show. `test/e2e/n8n/steps/picker.ts` looks at the editor itself.
const descriptionOf = (node: string) => (engine.loader.getNode(node).type as INodeType).description;

test("n8n's generator finds the events, and what the polling trigger watches, by these labels", () => {
  for (const node of ['qrServiceTrigger', 'qrServicePollingTrigger']) {
    const { displayName, properties } = descriptionOf(node);
    expect(displayName.toLowerCase()).toContain('trigger');
    const labels = properties.map((property) => property.displayName.toLowerCase());
    expect(labels.filter((label) => ['event', 'events', 'trigger on'].includes(label))).toHaveLength(1);
  }
  expect(
    propertiesOf('qrServicePollingTrigger')
      .find(({ name }) => name === 'watch')
      ?.options?.map(({ action }) => action),
  ).toEqual(['On changed QR code', 'On new scan']);
});

/** The subtitle as the editor's canvas evaluates it. */
function subtitle(name: string, parameters: INodeParameters): unknown {
  const type = `n8n-nodes-qr-service.${name}`;
  const node: INode = { id: '1', name: 'Node', type, typeVersion: 1, position: [0, 0], parameters };
  const workflow = core.workflow({ nodes: [node], connections: {} });
  return workflow.expression.getSimpleParameterValue(
    workflow.getNode('Node')!,
    descriptionOf(name).subtitle,
    'internal',
    {},
    undefined,
    '[filled at execution time]',
  );
}

describe('the subtitle on the canvas', () => {
  test('names the operation and the resource by their labels', () => {
    expect(subtitle('qrService', {})).toBe('Create: QR Code');
    const { properties } = descriptionOf('qrService');
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
  ])('counts the events: %s', (_what, events, expected) => {
    expect(subtitle('qrServiceTrigger', { events: events! })).toBe(expected);
  });
});

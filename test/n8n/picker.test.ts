import type { INode, INodeParameters, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { Core } from '../../engines/n8n/Core.ts';
import { createN8nEngine, type N8nEngine } from '../../engines/n8n/index.ts';
import { PACKAGE_DIR } from './support/world.ts';

/** What the editor's node picker and canvas show. `test/e2e/n8n/steps/picker.ts` looks at the editor itself. */
const PACKAGE = 'n8n-nodes-qr-service';
const NODES = ['qrService', 'qrServiceTrigger', 'qrServicePollingTrigger'];

let engine: N8nEngine;
let core: Core;
beforeAll(async () => {
  engine = await createN8nEngine({ packageDir: PACKAGE_DIR, credentials: {} });
  core = new Core(PACKAGE_DIR, {});
  await core.loader.loadAll();
});

const descriptionOf = (node: string) => (engine.loader.getNode(node).type as INodeType).description;

/** The options of all properties with this name. */
const optionsOf = (node: string, name: string) =>
  descriptionOf(node)
    .properties.filter((property) => property.name === name)
    .flatMap(({ options }) => options as INodePropertyOptions[]);

test("n8n's generator finds the events, and what the polling trigger watches, by these labels", () => {
  for (const node of NODES.slice(1)) {
    const { displayName, properties } = descriptionOf(node);
    expect(displayName.toLowerCase()).toContain('trigger');
    const labels = properties.map((property) => property.displayName.toLowerCase());
    expect(labels.filter((label) => ['event', 'events', 'trigger on'].includes(label))).toHaveLength(1);
  }
  expect(optionsOf('qrServicePollingTrigger', 'watch').map(({ action }) => action)).toEqual([
    'On changed QR code',
    'On new scan',
  ]);
});

/** The subtitle as the editor's canvas evaluates it. */
function subtitle(name: string, parameters: INodeParameters): unknown {
  const type = `${PACKAGE}.${name}`;
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

  test('shows no operation for an unknown resource', () => {
    expect(subtitle('qrService', { resource: 'what', operation: 'ever' })).toBe('what');
  });
});

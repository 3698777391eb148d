import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES } from '@qr-service/core';
import { ERROR_CODES } from '@qr-service/core/connector';
import type { INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { createN8nEngine, type N8nEngine } from '../../engines/n8n/index.ts';
import { example, startsByItself } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

const examples = readdirSync(join(PACKAGE_DIR, 'examples')).filter((file) => file.endsWith('.json'));
const readme = readFileSync(join(PACKAGE_DIR, 'README.md'), 'utf8');

/** The text below a heading of the second level. */
const section = (heading: string) =>
  readme.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

/** A table's cells, without its header. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^ *\|(.*)\|$/gm)]
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .filter(([first = '']) => !/^-+$/.test(first))
    .slice(1);

/** The cells of the table of operations: resource, operation, what it does. */
const operationRows = () => rowsOf(section('Operations').split('###')[0]!);

let engine: N8nEngine;
beforeAll(async () => {
  engine = await createN8nEngine({ packageDir: PACKAGE_DIR, credentials: {} });
});

const nodes = () =>
  engine.loader.types.nodes.map(({ name }) => (engine.loader.getNode(name).type as INodeType).description);

/** Labels of properties and of their options, at any depth. */
function labels(properties: readonly INodeProperties[]): string[] {
  return properties.flatMap(({ displayName, options = [] }) => [
    displayName,
    ...options.flatMap((option) => {
      if ('displayName' in option && 'type' in option) return labels([option]);
      return 'name' in option ? [option.name] : [];
    }),
  ]);
}

/** Words of n8n's editor, and names of its own nodes. */
const OF_N8N = [
  'Allowed HTTP Request Domains',
  'Call n8n Workflow Tool',
  'Community nodes',
  'Error details',
  'Execute workflow',
  'Fetch Test Event',
  'Import → From file',
  'Install',
  'Install a community node',
  'On Error',
  'Remove Duplicates',
  'Schedule Trigger',
  'Settings → Always Output Data',
  'Settings → Community nodes',
  '⋯',
];

test('names only labels that the nodes, the credential, the examples or n8n have', () => {
  const types = nodes();
  const credential = engine.loader.getCredential('qrServiceApi').type;
  const ofNodes = types.flatMap(({ displayName, properties }) => [displayName, ...labels(properties)]);
  const operations = operationRows().map(([resource, name]) => `${resource}: ${name}`);
  const known = [
    ...OF_N8N,
    ...ofNodes,
    ...operations,
    ...[credential.displayName, ...labels(credential.properties)],
    ...examples.flatMap((file) => example(file.replace('.json', '')).nodes.map(({ name }) => name)),
  ];
  // A name that ends with a period is the title of a paragraph.
  const named = [...readme.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name.replaceAll(/\s+/g, ' '));
  expect(named).toEqual(expect.arrayContaining(['Base URL', 'Only New', 'QR Code: Create']));
  expect(named.filter((name) => !name.endsWith('.') && !known.includes(name))).toEqual([]);
});

test('the page of the examples shows each with its file and a small picture, and no other', () => {
  const page = readFileSync(join(PACKAGE_DIR, 'examples/README.md'), 'utf8');
  const names = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, name = '']) => name);
  expect(
    names(/\]\(([\w-]+)\.json\)/g)
      .map((name) => `${name}.json`)
      .sort(),
  ).toEqual([...examples].sort());
  expect(names(/^!\[[^\]]+\]\(images\/([\w-]+)\.png\)$/gm)).toEqual(names(/\]\(([\w-]+)\.json\)/g));
  const pictures = readdirSync(join(PACKAGE_DIR, 'examples/images'));
  expect(pictures.sort()).toEqual(examples.map((file) => file.replace('.json', '.png')).sort());
  for (const picture of pictures)
    expect(statSync(join(PACKAGE_DIR, 'examples/images', picture)).size).toBeLessThan(150_000);
});

test('begins with an example that exists, and names its nodes', () => {
  const steps = section('Your first workflow');
  const workflow = example(/`([\w-]+)\.json`/.exec(steps)![1]!);
  const named = [...steps.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name);
  const names = workflow.nodes.map(({ name }) => name);
  expect(named.filter((name) => !names.includes(name) && !OF_N8N.includes(name))).toEqual([]);
  expect(named).toContain('Download Images');
  // n8n publishes only workflows with a trigger.
  const replaces = steps.includes('replace **Start** with a **Schedule Trigger** and publish the workflow');
  expect(steps.includes('publish')).toBe(startsByItself(workflow) || replaces);
});

test('lists every operation of each resource', () => {
  const { properties } = nodes().find(({ name }) => name === 'qrService')!;
  const choices = (name: string) =>
    properties
      .filter((property) => property.name === name)
      .map(({ displayOptions, options }) => ({ displayOptions, options: options as INodePropertyOptions[] }));
  const resources = choices('resource').flatMap(({ options }) => options);
  const existing = choices('operation').flatMap(({ displayOptions, options }) =>
    resources
      .filter(({ value }) => displayOptions?.show?.['resource']?.includes(value))
      .flatMap((resource) => options.map(({ name }) => `${resource.name}: ${name}`)),
  );
  expect(
    operationRows()
      .map(([resource, name]) => `${resource}: ${name}`)
      .sort(),
  ).toEqual(existing.sort());
});

test('lists the scopes that the nodes need', () => {
  const listed = rowsOf(section('Credentials')).map(([scope = '']) => scope);
  const { hint = '' } = engine.loader
    .getCredential('qrServiceApi')
    .type.properties.find(({ name }) => name === 'apiKey')!;
  const needed = [...hint.matchAll(/<code>([^<]+)<\/code>/g)].map(([, scope]) => scope);
  expect(listed.sort()).toEqual(needed.sort());
});

test('states how many events there are', () => {
  expect(section('Start a workflow on an event')).toContain(`${EVENT_TYPES.length} events`);
});

test('lists error codes that exist', () => {
  const listed = rowsOf(section('Errors')).flatMap(([codes = '']) => codes.split(', '));
  const own = ['invalid_input', 'network', 'timeout'];
  expect(listed).toContain('rate_limited');
  expect(listed.filter((code) => !own.includes(code) && !Object.hasOwn(ERROR_CODES, code))).toEqual([]);
});

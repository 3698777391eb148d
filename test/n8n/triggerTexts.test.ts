import { EVENT_TYPES } from '@qr-service/core';
import type { INodePropertyOptions, INodeType } from 'n8n-workflow';
import { createN8nEngine, type N8nEngine } from '../../engines/n8n/index.ts';
import { PACKAGE_DIR } from './support/world.ts';

let engine: N8nEngine;
beforeAll(async () => {
  engine = await createN8nEngine({ packageDir: PACKAGE_DIR, credentials: {} });
});

const typeOf = (node: string) => engine.loader.getNode(node).type as INodeType;
const TRIGGERS = ['qrServiceTrigger', 'qrServicePollingTrigger'];

/** The triggers that n8n's node picker lists for a node: its generator looks for a property by these labels. */
function picked(node: string): string[] {
  const { displayName, properties } = typeOf(node).description;
  expect(displayName.toLowerCase()).toContain('trigger');
  const labels = ['event', 'events', 'trigger on'];
  const property = properties.find((other) => labels.includes(other.displayName.toLowerCase()));
  return (property?.options as INodePropertyOptions[] | undefined)?.map(({ action }) => action ?? '') ?? [];
}

test('the node picker lists each event, and what the polling trigger watches', () => {
  const events = picked('qrServiceTrigger');
  expect(events).toHaveLength(EVENT_TYPES.length + 1);
  expect(events).toEqual(
    expect.arrayContaining(['On any event', 'On QR code created', 'On low score received']),
  );
  expect(picked('qrServicePollingTrigger')).toEqual(['On changed QR code', 'On new scan']);
  // n8n converts the first letter of an option without an action to lower case.
  for (const action of TRIGGERS.flatMap(picked)) expect(action).toMatch(/^On (?!q)[a-zQR ]+$/);
});

test('the notices name the scopes that the triggers need, and are plain text', () => {
  const notices = TRIGGERS.map((node) =>
    typeOf(node)
      .description.properties.filter(({ type }) => type === 'notice')
      .map(({ displayName, displayOptions }) => [displayOptions?.show?.['watch']?.[0], displayName]),
  );
  expect(notices).toEqual([
    [[undefined, expect.stringContaining('scope webhooks:write')]],
    [
      ['changedCodes', expect.stringContaining('scope qr:read')],
      ['scans', expect.stringContaining('scope analytics:read')],
    ],
  ]);
  expect(notices[0]![0]![1]).toMatch(/separate workflow for polling triggers/);
  // n8n removes markup, and the line breaks with it.
  expect(JSON.stringify(notices)).not.toMatch(/[<>]/);
});

test('what n8n shows after publishing does not claim that the trigger is active', () => {
  const { activationMessage } = typeOf('qrServiceTrigger').description;
  expect(activationMessage).toMatch(/is now subscribing.*If subscribing fails/);
});

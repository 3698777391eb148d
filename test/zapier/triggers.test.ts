import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { EVENTS, eventFields } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import type { PlainOutputField } from 'zapier-platform-core';
import { nextRequest } from './support/deliveries.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

let world: World;
let code: Record<string, unknown>;
beforeAll(async () => {
  world = await startWorld();
  code = await world.engine.create('create_qr_code', { name: 'Newest', targetUrl: 'https://example.com' });
});
afterAll(() => world.close());

const keyOf = (type: EventType) => type.replaceAll('.', '_');
const operationOf = (type: EventType) => app.triggers[keyOf(type)]?.operation;
const sorted = (keys: Iterable<string>) => [...keys].sort();

test('the app has a trigger for each of the 14 events and two polling triggers', () => {
  expect(EVENT_TYPES).toHaveLength(14);
  expect(sorted(Object.keys(app.triggers))).toEqual(
    sorted([...EVENT_TYPES.map(keyOf), 'qr_changed', 'new_scan']),
  );
});

describe.each(EVENT_TYPES)('the trigger for %s', (type) => {
  const fields = () => sorted(eventFields(type).map(({ key }) => key));

  test("is instant and has the core's label and description", () => {
    const { label, description } = EVENTS[type];
    expect(app.triggers[keyOf(type)]?.display).toEqual({ label, description });
    expect(operationOf(type)).toMatchObject({ type: 'hook' });
  });

  test('has the same fields in its sample, its output fields and its test in the editor', async () => {
    const outputFields = operationOf(type)?.outputFields as PlainOutputField[];
    const rows = await world.engine.performList(keyOf(type));
    expect(sorted(outputFields.map(({ key }) => key))).toEqual(fields());
    expect(sorted(Object.keys(operationOf(type)?.sample ?? {}))).toEqual(fields());
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(sorted(Object.keys(row))).toEqual(fields());
  });

  test('turns an event of the service into a row with those fields', async () => {
    const hook = await world.engine.subscribe(keyOf(type), HOOK_URL);
    const before = world.hooks.requests.length;
    const event = world.emulator.control.emit(type);
    const [row, ...more] = await hook.receive(await nextRequest(world, before));
    expect(more).toEqual([]);
    expect(row).toMatchObject({ eventId: event.id, type, workspaceId: world.emulator.workspace.id });
    expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(fields()));
  });
});

describe('testing a trigger about codes in the editor', () => {
  test("shows the workspace's codes, most recently updated first, marked as samples", async () => {
    const [row] = await world.engine.performList('qr_published');
    expect(row).toMatchObject({
      qrId: code['id'],
      name: 'Newest',
      publicUrl: code['publicUrl'],
      type: 'qr.published',
      source: 'sample',
      eventId: `evt_sample_qr_published_${String(code['id'])}`,
    });
  });

  test('shows the sample to a key that may not read codes', async () => {
    const { apiKey } = world.emulator.control.createKey({ scopes: ['webhooks:write'] });
    const engine = await world.connect(apiKey);
    expect(await engine.performList('qr_published')).toEqual([operationOf('qr.published')?.sample]);
  });
});

import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { EVENTS, eventFields, UNSEEN_EVENTS } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import type { PlainInputField, PlainOutputField } from 'zapier-platform-core';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { nextRequest } from './support/deliveries.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

let world: World;
/** A separate workspace. */
let other: World | undefined;
let code: Record<string, unknown>;
beforeAll(async () => {
  world = await startWorld();
  code = await world.engine.create('create_qr_code', { name: 'Newest', targetUrl: 'https://example.com' });
});
afterEach(async () => {
  await other?.close();
  other = undefined;
  closeServices();
});
afterAll(() => world.close());

const keyOf = (type: EventType) => type.replaceAll('.', '_');
const operationOf = (type: EventType) => app.triggers[keyOf(type)]?.operation;
const sorted = (keys: Iterable<string>) => [...keys].sort();

/** Events whose data the API text shows. */
const SEEN_EVENTS = EVENT_TYPES.filter((type) => !UNSEEN_EVENTS.includes(type));
/** Fields that all rows of a Zap have in common, or that only support needs. */
const UNMAPPED = ['id', 'mode', 'contentType', 'type', 'workspaceId', 'deliveryId'];

describe.each(SEEN_EVENTS)('the trigger for %s', (type) => {
  const fields = () =>
    sorted(
      eventFields(type)
        .map(({ key }) => key)
        .filter((key) => !UNMAPPED.includes(key)),
    );

  test('has the same fields in its sample, its output fields and its test in the editor', async () => {
    const outputFields = operationOf(type)?.outputFields as PlainOutputField[];
    const before = world.emulator.control.requestCount();
    const rows = await world.engine.performList(keyOf(type));
    if (EVENTS[type].about !== 'code') expect(world.emulator.control.requestCount()).toBe(before);
    expect(sorted(outputFields.map(({ key }) => key))).toEqual(fields());
    expect(sorted(Object.keys(operationOf(type)?.sample ?? {}))).toEqual(fields());
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(sorted(Object.keys(row))).toEqual(fields());
  });
});

describe('Other Event', () => {
  test('offers every event of the API text that has no trigger of its own', () => {
    const [field] = app.triggers['other_event']!.operation.inputFields as PlainInputField[];
    const offered = (field?.choices as { value: string }[]).map(({ value }) => value.replaceAll('.', '_'));
    expect(sorted([...Object.keys(app.triggers), ...offered])).toEqual(
      sorted([...EVENT_TYPES.map(keyOf), 'other_event', 'qr_changed', 'new_scan']),
    );
    expect(field).toMatchObject({ required: true });
  });

  test.each(UNSEEN_EVENTS)(
    'turns %s into a row with all of its data, and shows it in the editor',
    async (event) => {
      const shown = () => world.engine.performList('other_event', { event });
      const eventId = `evt_sample_${event.replaceAll('.', '_')}`;
      expect(await shown()).toEqual([{ ...app.triggers['other_event']?.operation.sample, eventId }]);
      const hook = await world.engine.subscribe('other_event', HOOK_URL, { event: EVENTS[event].label });
      const before = world.hooks.requests.length;
      const { id } = world.emulator.control.emit(event, { id: 'own_1', qrId: null, other: 'more' });
      const rows = await hook.receive(await nextRequest(world, before));
      expect(rows).toEqual([
        { eventId: id, occurredAt: expect.any(String), id: 'own_1', qrId: null, other: 'more' },
      ]);
      expect(await shown()).toEqual(rows);
      await hook.unsubscribe();
    },
  );

  test('fails before subscribing without an event, and for an unknown one', async () => {
    const before = world.emulator.control.subscriptions().length;
    for (const [event, text] of [
      ['', /^Event is empty\./],
      ['scan', /^Event must be one of its options, but got "scan"\. Use one of Redirect Rule Changed, /],
    ] as const)
      expect((await failureOf(world.engine.subscribe('other_event', HOOK_URL, { event }))).message).toMatch(
        text,
      );
    expect(world.emulator.control.subscriptions()).toHaveLength(before);
  });
});

describe('what a trigger shows in the editor fits its event', () => {
  /** Statuses that would contradict the event. */
  const CONTRADICTIONS: [EventType, string[]][] = [
    ['qr.created', ['published', 'archived', 'deleted']],
    ['qr.published', ['draft', 'unpublished', 'archived', 'deleted']],
    ['qr.archived', ['draft', 'unpublished', 'published', 'deleted']],
    ['qr.deleted', ['draft', 'unpublished', 'published', 'archived']],
  ];

  test.each(CONTRADICTIONS)('%s', async (type, contradictions) => {
    const input = { targetUrl: 'https://example.com' };
    await world.engine.create('create_qr_code', { ...input, name: 'Unpublished', publishNow: false });
    const archived = await world.engine.create('create_qr_code', { ...input, name: 'Archived' });
    world.emulator.control.archive(String(archived['id']));
    const rows = [operationOf(type)?.sample ?? {}, ...(await world.engine.performList(keyOf(type)))];
    for (const row of rows) expect(contradictions).not.toContain(row['status']);
    // Lists contain no deleted codes.
    if (type !== 'qr.deleted') expect(rows.at(-1)).toMatchObject({ source: 'sample' });
  });

  test('the sample, if no code fits', async () => {
    other = await startWorld();
    await other.engine.create('create_qr_code', { name: 'Live', targetUrl: 'https://example.com' });
    for (const type of ['qr.created', 'qr.archived', 'qr.deleted'] as const)
      expect(await other.engine.performList(keyOf(type))).toEqual([operationOf(type)?.sample]);
  });
});

describe('testing a trigger about codes in the editor', () => {
  test("shows the workspace's codes, most recently updated first, marked as samples", async () => {
    const [row] = await world.engine.performList('qr_published');
    expect(row).toMatchObject({
      qrId: code['id'],
      name: 'Newest',
      publicUrl: code['publicUrl'],
      source: 'sample',
      eventId: `evt_sample_qr_published_${String(code['id'])}`,
    });
  });

  test('shows every field, even if a code lacks some', async () => {
    const { id, slug, status } = code;
    const { url } = await serve((_request, response) =>
      response.end(JSON.stringify({ data: [{ id, slug, status }] })),
    );
    const engine = await world.connect('key', url);
    for (const type of ['qr.published', 'qr.updated'] as const) {
      const [row] = await engine.performList(keyOf(type));
      expect(row).toMatchObject({ qrId: id, occurredAt: null, name: null });
      expect(Object.keys(row ?? {})).toEqual(Object.keys(operationOf(type)?.sample ?? {}));
    }
    expect(await engine.poll('qr_changed', {}, { isLoadingSample: true })).toMatchObject([
      { id, updatedAt: null },
    ]);
  });
});

test.each([
  ['new_scan', ['id']],
  ['qr_changed', ['updatedAt', 'id']],
])('Zapier tells the rows of %s apart by %j', (trigger, primary) => {
  const fields = app.triggers[trigger]?.operation.outputFields as { key: string; primary?: boolean }[];
  expect(fields.filter((field) => field.primary).map(({ key }) => key)).toEqual(primary);
});

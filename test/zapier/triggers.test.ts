import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { EVENT_ENVELOPE_FIELDS, EVENTS, eventFields, UNSEEN_EVENTS } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import type { PlainOutputField } from 'zapier-platform-core';
import { closeServices, serve } from '../support/faultyService/faultyService.ts';
import { until } from '../support/jest/until.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { nextRequest } from './support/deliveries.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

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
const triggerOf = (type: EventType) => app.triggers[keyOf(type)];
const sorted = (keys: Iterable<string>) => [...keys].sort();

describe.each(EVENT_TYPES)('the trigger for %s', (type) => {
  /** Only the envelope, if the API text doesn't show the event's data. */
  const fields = () =>
    sorted(
      (EVENTS[type].dataDocumented ? eventFields(type) : EVENT_ENVELOPE_FIELDS)
        .map(({ key }) => key)
        // In Zapier, it would be the ID of the event's row. Nobody maps the others.
        .filter((key) => !['id', 'mode', 'contentType', 'deliveryId'].includes(key)),
    );

  test("is instant and has the core's label, description and noun", () => {
    const { label, description, noun } = EVENTS[type];
    const hidden = UNSEEN_EVENTS.includes(type) ? { hidden: true } : {};
    expect(triggerOf(type)?.display).toEqual({ label, description, ...hidden });
    expect(triggerOf(type)?.noun).toBe(noun);
    expect(operationOf(type)).toMatchObject({ type: 'hook' });
  });

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

  test('turns an event of the service into a row with those fields', async () => {
    const hook = await world.engine.subscribe(keyOf(type), HOOK_URL);
    const before = world.hooks.requests.length;
    // An undocumented event may have an ID of its own, and no code.
    const data = EVENTS[type].dataDocumented ? undefined : { id: 'own_1', qrId: null };
    const event = world.emulator.control.emit(type, data);
    const [row, ...more] = await hook.receive(await nextRequest(world, before));
    expect(more).toEqual([]);
    expect(row).toMatchObject({ eventId: event.id, type, workspaceId: world.emulator.workspace.id });
    expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(fields()));
    // Undocumented data is passed on, too.
    for (const key of Object.keys(event.data)) if (key !== 'qr') expect(row).toHaveProperty(key);
  });
});

test('only triggers with undocumented data are hidden', () => {
  const hidden = Object.values(app.triggers).filter(({ display }) => display.hidden === true);
  expect(hidden.map(({ key }) => key)).toEqual([
    'redirect_rule_changed',
    'scan_aggregate_ready',
    'export_ready',
    'approval_changed',
    'bulk_completed',
    'feedback_low_score_received',
    'feedback_response_resolved',
    'feedback_campaign_published',
  ]);
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
      type: 'qr.published',
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
    expect(await engine.poll('qr_changed', {}, { isLoadingSample: true })).toMatchObject([{ changeId: id }]);
  });

  test('shows a recent code if there is more than one page', async () => {
    const target = { targetUrl: 'https://example.com' };
    const codes = Array.from({ length: 130 }, () => ({ name: 'Table', ...target }));
    const { engine } = (other = await startWorld({ seed: { codes } }));
    const { id } = await engine.create('create_qr_code', { name: 'Latest', ...target });
    const [row] = await engine.performList('qr_published');
    expect(row).toMatchObject({ qrId: id, name: 'Latest' });
  });

  test('shows the sample to a key that may not read codes', async () => {
    const { apiKey } = world.emulator.control.createKey({ scopes: ['webhooks:write'] });
    const engine = await world.connect(apiKey);
    expect(await engine.performList('qr_published')).toEqual([operationOf('qr.published')?.sample]);
  });
});

describe('the output fields of New Scan', () => {
  const STATIC = ['scannedAt', 'scannedCode__name', 'scannedCode__publicUrl', 'id', 'qrId'];
  let scanned: World;
  beforeAll(async () => {
    scanned = await startWorld({ allowedDimensions: ['country', 'device', 'os'] });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => scanned.close());

  const fieldsOf = async (engine = scanned.engine) =>
    (await engine.outputFields('triggers.new_scan')).map(({ key, label }) => [key, label]);

  /** The fields with a service that responds with this body. */
  async function fieldsFor(body: unknown): Promise<unknown[][]> {
    const { url } = await serve((_request, response) => response.end(JSON.stringify(body)));
    return fieldsOf(await scanned.connect('key', url));
  }

  const dimensions = (allowedDimensions: unknown) => ({ data: [], allowedDimensions, pagination: {} });

  test("New Scan labels the dimensions that the workspace's privacy settings permit", async () => {
    expect(await fieldsOf()).toEqual([
      ['scannedAt', 'Scanned At'],
      ['scannedCode__name', 'QR Code Name'],
      ['scannedCode__publicUrl', 'Short Link'],
      ['country', 'Country'],
      ['device', 'Device'],
      ['os', 'OS'],
      ['id', 'Scan ID'],
      ['qrId', 'QR Code ID'],
    ]);
  });

  test('has a label for every field of a live scan', async () => {
    const code = await scanned.engine.create('create_qr_code', {
      name: 'Scanned',
      targetUrl: 'https://example.com',
    });
    await (await fetch(String(code['publicUrl']), { redirect: 'manual' })).text();
    const [row] = await scanned.engine.poll('new_scan');
    const fields = (await fieldsOf()).map(([key]) => String(key).split('__')[0]);
    expect([...new Set(fields)]).toEqual(Object.keys(row ?? {}));
  });

  test.each([
    [
      'names of several words',
      ['deviceType', 'utm_source', 'Land', 'país'],
      ['Device Type', 'UTM Source', 'Land', 'País'],
    ],
    ['keys that Zapier reads as a path', ['geo__city', '__proto__', 'geo.city', 'a[]', 'fine'], ['Fine']],
    [
      'keys that are blank, too long or without a letter',
      ['', ' ', '_', '12', 'x'.repeat(70), 'fine'],
      ['Fine'],
    ],
    [
      'repeated keys and keys of the other fields',
      ['country', 'country', 'id', 'qrId', 'scannedCode', 'scannedAt'],
      ['Country'],
    ],
  ])('labels %s', async (_what, allowed, labels) => {
    const fields = (await fieldsFor(dimensions(allowed))).filter(([key]) => !STATIC.includes(String(key)));
    expect(fields.map(([, label]) => label)).toEqual(labels);
  });

  test.each([
    ['text', dimensions('country')],
    ['a list without text', dimensions([1, null, {}])],
    ['missing', { data: [] }],
  ])('shows the other fields when the dimensions are %s', async (_what, body) => {
    expect((await fieldsFor(body)).map(([key]) => key)).toEqual(STATIC);
  });

  test.each([
    ['the key lacks the scope', () => scanned.emulator.control.createKey({ scopes: ['qr:read'] }).apiKey],
    ['the key is invalid', () => 'revoked'],
  ])('shows the other fields when %s', async (_what, key) => {
    expect((await fieldsOf(await scanned.connect(key()))).map(([key]) => key)).toEqual(STATIC);
  });

  test('shows the other fields when the service never responds, before the editor gives up', async () => {
    const time = startVirtualTime();
    let isCut = false;
    const { url } = await serve(({ socket }) => {
      socket.once('close', () => (isCut = true));
      setImmediate(() => time.advance(8000));
    });
    const began = Date.now();
    expect((await fieldsOf(await scanned.connect('key', url))).map(([key]) => key)).toEqual(STATIC);
    expect(Date.now() - began).toBeLessThan(20_000);
    // Nothing goes on in the background.
    await until(() => isCut);
  });

  test.each([
    ['new_scan', 'id'],
    ['qr_changed', 'changeId'],
  ])('Zapier tells the rows of %s apart by a field that is not loaded in the editor', (trigger, primary) => {
    const fields = app.triggers[trigger]?.operation.outputFields as { key: string; primary?: boolean }[];
    expect(fields.filter((field) => field.primary).map(({ key }) => key)).toEqual([primary]);
  });
});

import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { EVENTS, eventFields, UNDOCUMENTED_EVENTS } from '@qr-service/core/connector';
import type { PlainInputField, PlainOutputField } from 'zapier-platform-core';
import app from 'zapier-qr-service';
import type { HookRequest, Row, ZapierHook } from '../../engines/zapier/index.ts';
import { startListService } from '../support/modelService/listService.ts';
import { some } from '../support/seed.ts';
import { nextRequest, nowSeconds, signedAnew, withHeaders } from './support/deliveries.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

describe('triggers', () => {
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
  });
  afterAll(() => world.close());

  const keyOf = (type: EventType) => type.replaceAll('.', '_');
  const operationOf = (type: EventType) => app.triggers[keyOf(type)]?.operation;
  const sorted = (keys: Iterable<string>) => [...keys].sort();

  /** Events whose data is documented (docs/api.md#events). */
  const SEEN_EVENTS = EVENT_TYPES.filter((type) => !UNDOCUMENTED_EVENTS.includes(type));
  /** Fields that all rows of a Zap have in common, or that only support needs. */
  const UNMAPPED = ['id', 'mode', 'contentType', 'type', 'workspaceId', 'deliveryId'];

  describe.each(some(SEEN_EVENTS, 3))('the trigger for %s', (type) => {
    const fields = () =>
      sorted([
        ...eventFields(type)
          .map(({ key }) => key)
          .filter((key) => !UNMAPPED.includes(key)),
        ...(type === 'qr.published' ? ['imagePng', 'imageSvg', 'imagePdf'] : []),
      ]);

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
    test('offers every documented event that has no trigger of its own', () => {
      const [field] = app.triggers['other_event']!.operation.inputFields as PlainInputField[];
      const offered = (field!.choices as { value: string }[]).map(({ value }) => value.replaceAll('.', '_'));
      expect(sorted([...Object.keys(app.triggers), ...offered])).toEqual(
        sorted([...EVENT_TYPES.map(keyOf), 'other_event', 'qr_changed', 'new_scan']),
      );
      expect(field).toMatchObject({ required: true });
    });

    test.each(some(UNDOCUMENTED_EVENTS, 3))(
      'turns %s into a row with all of its data, and shows it in the editor',
      async (event) => {
        const shown = () => world.engine.performList('other_event', { event });
        const eventId = `evt_sample_${event.replaceAll('.', '_')}`;
        expect(await shown()).toEqual([{ ...app.triggers['other_event']?.operation.sample, eventId }]);
        const hook = await world.engine.subscribe('other_event', HOOK_URL, { event: EVENTS[event].label });
        const before = world.hooks.requests.length;
        const { id } = world.emulator.control.emit(event, { id: 'own_1', qrId: null, other: 'more' });
        const request = await nextRequest(world, before);
        const rows = await hook.receive(request);
        expect(await hook.receive(request)).toEqual([]);
        expect(rows).toEqual([
          { eventId: id, occurredAt: expect.any(String), id: 'own_1', qrId: null, other: 'more' },
        ]);
        expect(await shown()).toEqual(rows);
        await hook.unsubscribe();
      },
    );

    test.each([
      [
        'leaves out what nobody maps of its code',
        { qr: { id: 'qr_1', mode: 'dynamic', contentType: 'url' } },
      ],
      ['keeps its own fields with the same names', { mode: 'dynamic', contentType: 'url' }],
    ])('an event %s', async (what, data) => {
      const hook = await world.engine.subscribe('other_event', HOOK_URL, { event: 'approval.changed' });
      const before = world.hooks.requests.length;
      world.emulator.control.emit('approval.changed', { qrId: 'qr_1', ...data });
      const [row] = await hook.receive(await nextRequest(world, before));
      await hook.unsubscribe();
      expect('mode' in row! && 'contentType' in row).toBe(what.startsWith('keeps'));
      expect(row).toMatchObject('qr' in data ? { qrId: 'qr_1', name: null } : { qrId: 'qr_1' });
    });

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

    test.each(some(CONTRADICTIONS, 2))('%s', async (type, contradictions) => {
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
      const { url } = await startListService({ rows: [{ id: String(id), slug, status }] });
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
});

describe('filters', () => {
  let world: World;
  /** Two published codes. */
  let door: Row;
  let menu: Row;
  beforeAll(async () => {
    world = await startWorld();
    const input = { targetUrl: 'https://example.com', publishNow: true };
    door = await world.engine.create('create_qr_code', { ...input, name: 'Door' });
    menu = await world.engine.create('create_qr_code', { ...input, name: 'Menu' });
    for (const { publicUrl } of [door, menu])
      await (await fetch(String(publicUrl), { redirect: 'manual' })).text();
  });
  afterAll(() => world.close());

  const keyOf = (type: string) => type.replaceAll('.', '_');
  const ids = (rows: Row[]) => rows.map((row) => row['qrId'] ?? row['id']);

  /** A code identified by its URL in the API. */
  const named = ({ id }: Row) => ` ${world.emulator.url}/v1/public-api/qr/${String(id)}\n`;

  const emitted = async (type: EventType, data: Row): Promise<HookRequest> => {
    const before = world.hooks.requests.length;
    world.emulator.control.emit(type, data);
    return nextRequest(world, before);
  };
  const about = (code: Row, changes: Row = {}) => ({ qrId: code['id'], qr: { ...code, ...changes } });

  /** Turns a Zap on for a test. */
  async function withHook(
    type: string,
    inputData: Row,
    test: (hook: ZapierHook) => Promise<void>,
    engine = world.engine,
  ): Promise<void> {
    const hook = await engine.subscribe(keyOf(type), HOOK_URL, inputData);
    try {
      await test(hook);
    } finally {
      await hook.unsubscribe();
    }
  }

  test('the code is chosen from the same dropdown as in the other steps', async () => {
    const { choices } = await world.engine.dropdown('publish_qr_code', 'qrCodeId');
    const steps = ['retarget_qr_code', 'render_qr_code', 'find_scans', 'count_scans'];
    for (const key of [...steps, 'qr_updated', 'qr_changed', 'new_scan'])
      expect((await world.engine.dropdown(key, 'qrCodeId')).choices).toEqual(choices);
  });

  describe('a code', () => {
    test('is the only one whose events start the Zap, without a request', async () => {
      await withHook('qr.updated', { qrCodeId: named(door) }, async (hook) => {
        const requests = [await emitted('qr.updated', about(menu)), await emitted('qr.updated', about(door))];
        const before = world.emulator.control.requestCount();
        const rows = [await hook.receive(requests[0]!), await hook.receive(requests[1]!)];
        expect(rows.map(ids)).toEqual([[], [door['id']]]);
        expect(world.emulator.control.requestCount()).toBe(before);
      });
    });

    test('is the only one that polls and tests in the editor show', async () => {
      const input = { qrCodeId: named(door) };
      const METAS: [meta: Row, requestsForScans: number][] = [
        [{ isPopulatingDedupe: true }, 2],
        [{}, 1],
        [{ isLoadingSample: true }, 2],
      ];
      for (const [meta, requestsForScans] of METAS)
        for (const trigger of ['qr_changed', 'new_scan']) {
          const before = world.emulator.control.requestCount();
          expect(ids(await world.engine.poll(trigger, input, meta))).toEqual([door['id']]);
          const requests = world.emulator.control.requestCount() - before;
          expect([trigger, meta, requests]).toEqual([
            trigger,
            meta,
            trigger === 'new_scan' ? requestsForScans : 1,
          ]);
        }
      // A poll fetches the code, however many others have changed.
      await world.engine.poll('qr_changed', input);
      expect(world.emulator.control.requests().at(-1)?.path).toMatch(
        new RegExp(`/qr/${String(door['id'])}$`),
      );
      expect(ids(await world.engine.performList('qr_published', input))).toEqual([door['id']]);
      for (const qrCodeId of [named(door), door['publicUrl']])
        expect(ids(await world.engine.search('find_scans', { qrCodeId }))).toEqual([door['id']]);
    });
  });

  describe('a status', () => {
    test.each(
      some(
        [
          [[' PUBLISHED '], 'published', 1],
          [['archived'], 'published', 0],
          [['Published', 'archived'], 'archived', 1],
          [['published', 'ARCHIVED', ''], 'draft', 0],
          ['published, archived', 'archived', 1],
          [' , ', 'published', 1],
        ],
        3,
      ),
    )('%j and a code that is %j: an event about it returns %i row(s)', async (status, own, count) => {
      await withHook('qr.updated', { status }, async (hook) => {
        expect(await hook.receive(await emitted('qr.updated', about(door, { status: own })))).toHaveLength(
          count,
        );
      });
    });

    test('filters polls', async () => {
      const draft = { name: 'Draft', targetUrl: 'https://example.com', publishNow: false };
      const code = await world.engine.create('create_qr_code', draft);
      for (const meta of [{}, { isLoadingSample: true }])
        expect(ids(await world.engine.poll('qr_changed', { status: 'Draft' }, meta))).toEqual([code['id']]);
      expect(ids(await world.engine.poll('qr_changed', { status: 'published' }))).not.toContain(code['id']);
      expect(await world.engine.poll('qr_changed', { status: 'published', qrCodeId: code['id'] })).toEqual(
        [],
      );
    });

    test('that no code has shows the sample in the editor only if it has that status', async () => {
      const { apiKey } = world.emulator.control.createKey({ scopes: ['webhooks:write'] });
      const engine = await world.connect(apiKey);
      const { sample } = app.triggers['qr_updated']!.operation;
      for (const [status, rows] of [
        [' , In review,archived', []],
        ['archived, Published', [sample]],
        ['', [sample]],
      ] as const)
        expect(await engine.performList('qr_updated', { status })).toEqual(rows);
      const status = 'archived';
      expect(await world.engine.performList('qr_updated', { status })).toEqual([]);
      expect(await world.engine.poll('qr_changed', { status }, { isLoadingSample: true })).toEqual([]);
    });
  });

  const BOTH = () => ({ qrCodeId: door['id'], status: 'archived' });
  // An event without a filtered field starts the Zap, so that none is lost.
  test.each<[string, number, () => Row, () => Row]>([
    ['both filters match', 1, BOTH, () => about(door, { status: 'archived' })],
    ['the status differs', 0, BOTH, () => about(door, { status: 'published' })],
    ['the code differs', 0, BOTH, () => about(menu, { status: 'archived' })],
    ['its status is null', 1, BOTH, () => about(door, { status: null })],
    ['it names no code', 1, () => ({ qrCodeId: door['id'] }), () => ({ rule: 'time' })],
    ['it has only the ID of another code', 0, () => ({ qrCodeId: door['id'] }), () => ({ qrId: menu['id'] })],
    // The status of an approval isn't the code's.
    [
      "a status isn't the code's",
      1,
      () => ({ status: 'published' }),
      () => ({ ...about(door), status: 'ok' }),
    ],
  ])('returns the right number of rows if %s (%i)', async (_what, count, input, data) => {
    await withHook('qr.updated', input(), async (hook) => {
      expect(await hook.receive(await emitted('qr.updated', data()))).toHaveLength(count);
    });
  });

  describe('a filter that can never match raises an error:', () => {
    test.each([
      ['a name', 'Door', 'No QR code with ID Door was found.'],
      [
        'a printed link',
        'qr.example/a',
        'QR Code must be the ID of a QR code, but got "qr.example/a". Choose',
      ],
    ])('%s, when the Zap is turned on or tested, or checks that code', async (_what, qrCodeId, message) => {
      const { engine, emulator } = world;
      const before = emulator.control.subscriptions().length;
      for (const run of [
        () => engine.subscribe('qr_updated', HOOK_URL, { qrCodeId }),
        () => engine.performList('qr_updated', { qrCodeId }),
        () => engine.poll('qr_changed', { qrCodeId }, { isLoadingSample: true }),
        () => engine.poll('qr_changed', { qrCodeId }, { isPopulatingDedupe: true }),
        () => engine.poll('qr_changed', { qrCodeId }),
        () => engine.poll('new_scan', { qrCodeId }, { isLoadingSample: true }),
        () => engine.poll('new_scan', { qrCodeId }, { isPopulatingDedupe: true }),
      ])
        expect(await failureOf(run())).toMatchObject({
          name: 'AppError',
          message: expect.stringContaining(message),
        });
      for (const search of ['find_scans', 'count_scans'])
        expect(await failureOf(engine.search(search, { qrCodeId }))).toMatchObject({ code: 'not_found' });
      expect(emulator.control.subscriptions()).toHaveLength(before);
    });

    test("a value that isn't text: also for a delivery, but only for a genuine one", async () => {
      const invalid = { status: ['published', { id: 1 }] };
      for (const run of [
        world.engine.subscribe('qr_updated', HOOK_URL, invalid),
        world.engine.performList('qr_updated', invalid),
        world.engine.poll('qr_changed', invalid),
      ])
        expect((await failureOf(run)).message).toMatch(/^Status must be text, but got an object/);

      const inputData: Row = {};
      await withHook('qr.updated', inputData, async (hook) => {
        const request = await emitted('qr.updated', about(door));
        Object.assign(inputData, invalid);
        const forged = withHeaders(request, { 'Http-X-Service-Signature': 't=1,v1=00' });
        expect(await hook.receive(forged)).toEqual([]);
        expect((await failureOf(hook.receive(request))).message).toMatch(/^Status must be text/);
      });
    });

    test('a key that may not read codes turns the Zap on, and the filter works', async () => {
      const { apiKey } = world.emulator.control.createKey({ scopes: ['webhooks:write'] });
      const engine = await world.connect(apiKey);
      const input = { qrCodeId: door['id'] };
      const { sample } = app.triggers['qr_published']!.operation;
      expect(await engine.performList('qr_published', input)).toEqual([sample]);
      const run = async (hook: ZapierHook) => {
        expect(await hook.receive(await emitted('qr.updated', about(menu)))).toEqual([]);
        expect(await hook.receive(await emitted('qr.updated', about(door)))).toHaveLength(1);
      };
      await withHook('qr.updated', input, run, engine);
    });
  });

  test('a filtered event is not remembered as a duplicate', async () => {
    const hook = await world.engine.subscribe('qr_updated', HOOK_URL, { status: 'archived' });
    const request = await emitted('qr.updated', about(door));
    expect(await hook.receive(request)).toEqual([]);
    expect(world.logs.map(({ message }) => message)).toContain(
      "Ignored a delivery: its QR code doesn't match this trigger's filters.",
    );
    const { id } = JSON.parse(request.rawBody) as { id: string };
    const data = about(door, { status: 'archived' });
    const rawBody = JSON.stringify({ ...(JSON.parse(request.rawBody) as Row), data });
    const secret = String(hook.subscribeData['secret']);
    const again = signedAnew({ ...request, rawBody }, secret, nowSeconds());
    expect(await hook.receive(again)).toMatchObject([{ eventId: id, status: 'archived' }]);
    expect(await hook.receive(again)).toEqual([]);
    await hook.unsubscribe();
  });
});

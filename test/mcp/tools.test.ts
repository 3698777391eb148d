import { readdirSync } from 'node:fs';
import { SCOPES, type Scope } from '@qr-service/core';
import { TOOLS } from '../../packages/mcp-server/src/tools/index.ts';
import { decodeQr } from '../support/decodeQr.ts';
import { startListService } from '../support/modelService/listService.ts';
import { some } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { closeWorlds, ERAS, SHOWS_PAGES, startServer, startWorld, type World } from './support/world.ts';

describe('tools', () => {
  const SCANS = [
    { scannedAt: '2026-01-01T00:00:00.000Z', country: 'DE' },
    { scannedAt: '2026-01-02T00:00:00.000Z', country: 'FR' },
  ];
  const SEED = { codes: [{ name: 'Lobby', targetUrl: 'https://example.com/lobby', scans: SCANS }] };

  let world: World;
  beforeAll(async () => {
    world = await startWorld({ seed: SEED });
  });
  afterAll(closeWorlds);

  // `call` throws if a result doesn't conform to the tool's output schema.
  test('every tool returns what the service has', async () => {
    const { server } = world;
    const targetUrl = 'https://example.com/1';
    const created = await server.call('create_qr_codes', {
      rows: [{ name: 'Tisch 1', targetUrl }],
      publish: false,
    });
    const { id, publicUrl } = created.data.results[0].qrCode;

    const published = await server.call('publish_qr_code', { code: id });
    expect(published.data.qrCode).toMatchObject({ id, name: 'Tisch 1', status: 'published', publicUrl });

    const moved = await server.call('retarget_qr_code', { code: publicUrl, url: 'https://example.org/new' });
    expect(moved.data).toMatchObject({ qrCode: { id }, previousUrl: targetUrl });
    const { headers } = await fetch(publicUrl, { redirect: 'manual' });
    expect(headers.get('location')).toBe('https://example.org/new');

    const got = await server.call('get_qr_code', { code: id });
    expect(got.data.qrCode).toMatchObject({ id, name: 'Tisch 1', targetUrl: 'https://example.org/new' });

    for (const search of [{ code: id }, { code: publicUrl }, { name: 'TISCH' }])
      expect((await server.call('find_qr_codes', search)).data.qrCodes).toMatchObject([{ id }]);
    const all = await server.call('find_qr_codes', { limit: 1 });
    expect(all.text).toContain(
      `There may be more. Narrow the search, or pass the cursor "${all.data.nextCursor}".`,
    );

    const drawn = await server.call('render_qr_codes', { codes: [id] });
    const image = drawn.content.find(({ type }) => type === 'image') as { data: string; mimeType: string };
    expect(image.mimeType).toBe('image/png');
    expect(decodeQr(Buffer.from(image.data, 'base64'))).toBe(publicUrl);

    const scans = await server.call('list_scans', { since: '2026-01-01T12:00:00Z' });
    expect(scans.data.scans).toContainEqual(
      expect.objectContaining({ scannedAt: '2026-01-02T00:00:00.000Z', country: 'FR' }),
    );
    expect(scans.text).not.toContain('2026-01-01');
    expect(scans.data.allowedDimensions).toEqual(['country', 'device', 'os', 'browser', 'referrer']);

    const { data } = await server.call('whoami');
    expect(data).toMatchObject({ workspaceName: world.emulator.workspace.name, unavailableTools: [] });
  });

  test('a missing code is an error of get_qr_code, and an empty list of find_qr_codes', async () => {
    const code = 'qr_missing';
    const { data, text } = await world.server.call('get_qr_code', { code });
    expect(data.error).toMatchObject({ code: 'not_found', retryable: false });
    expect(text).toContain('Retry: with corrected arguments only.');
    expect((await world.server.call('find_qr_codes', { code })).data).toMatchObject({ qrCodes: [] });
  });

  describe.each(ERAS)('a client of the %s era', (era) => {
    test('lists all tools with their annotations and calls one', async () => {
      const server = await startServer(world.emulator, { era });
      expect(server.client.getNegotiatedProtocolVersion()).toBe(
        era === 'legacy' ? '2025-11-25' : '2026-07-28',
      );
      const hints = server.tools.map(({ name, annotations: of }) => [
        name,
        of?.readOnlyHint,
        of?.destructiveHint,
      ]);
      expect(hints).toEqual([
        ['create_qr_codes', false, true],
        ['find_qr_codes', true, false],
        ['get_qr_code', true, false],
        ['publish_qr_code', false, true],
        ['retarget_qr_code', false, true],
        ['upsert_qr_codes', false, true],
        ['render_qr_codes', true, false],
        ['list_scans', true, false],
        ['whoami', true, false],
      ]);
      expect(server.client.getInstructions()).toMatch(/archives, deletes or renames a code: .*https:/);
      expect(server.client.getServerVersion()).toMatchObject({
        websiteUrl: expect.stringMatching(/^https:/),
        icons: [{ src: expect.stringMatching(/^data:image\/svg\+xml;base64,/) }],
      });
      const cached = { ttlMs: 3_600_000, cacheScope: 'private' };
      expect(await server.client.listTools()).toMatchObject(era === 'legacy' ? {} : cached);
      // All of it is in the model's context.
      expect(JSON.stringify(server.tools).length).toBeLessThan(18_000);
      for (const { name, title, description = '', inputSchema } of server.tools) {
        expect(title).toBeTruthy();
        // What it does, when to use it, what it returns and what it never does.
        expect(`${name}: ${description}`).toMatch(/^\w+: [A-Z]\w+s .*\bUse it\b.*\bnever\b/s);
        for (const property of Object.values(inputSchema.properties ?? {}))
          expect(property).toHaveProperty('description', expect.stringMatching(/\.$/));
      }
      expect((await server.call('whoami')).isError).toBe(false);
    });

    test('gets the page only if it shows pages, and is told nothing about it otherwise', async () => {
      const open = (capabilities: object) =>
        startServer(world.emulator, { era, transport: 'stdio', capabilities });
      const other = await open({});
      const shows = await open(SHOWS_PAGES);
      expect(other.client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
      const shown = shows.tools.filter(({ _meta }) => _meta !== undefined);
      const [last] = shows.tools.splice(-1);
      expect(last).toMatchObject({ name: 'preview_qr_code', _meta: { ui: { visibility: ['app'] } } });
      for (const tool of shown) {
        tool.description = tool.description!.replace(/ The user sees [^.]* in the chat\.$/, '');
        delete tool._meta;
      }
      expect(shown.map(({ name }) => name).join()).toMatch(
        /^create_\w+,upsert_\w+,render_\w+,list_\w+,preview_\w+$/,
      );
      expect(JSON.stringify(other.tools)).toBe(JSON.stringify(shows.tools));
      const [code] = (await world.server.call('find_qr_codes')).data.qrCodes;
      const request = { name: 'render_qr_codes', arguments: { codes: [code.id] } };
      const { _meta: { page, ...meta } = {}, ...drawn } = await shows.client.callTool(request);
      expect(page).toMatchObject({ results: [{ outcome: 'drawn' }] });
      expect({ _meta: {}, ...(await other.client.callTool(request)) }).toEqual({ ...drawn, _meta: meta });
    });
  });

  describe('a destination', () => {
    const A = 'https://example.com/a';
    const B = 'https://example.com/b';
    let code: string;
    const retarget = (url: string) => world.server.call('retarget_qr_code', { code, url });
    const upsert = (targetUrl: string) =>
      world.server.call('upsert_qr_codes', { rows: [{ code, targetUrl }] });
    const publish = () => world.server.call('publish_qr_code', { code });
    const destination = async () => {
      const { publicUrl } = (await world.server.call('get_qr_code', { code })).data.qrCode;
      return (await fetch(publicUrl, { redirect: 'manual' })).headers.get('location');
    };
    /** As somebody else does it. */
    const changeElsewhere = async () => {
      const { url, apiKey } = world.emulator;
      await fetch(`${url}/v1/public-api/qr/${code}/destination`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ url: 'https://example.com/elsewhere' }),
      });
    };
    beforeEach(async () => {
      const row = { name: expect.getState().currentTestName, targetUrl: A };
      const { data } = await world.server.call('create_qr_codes', { rows: [row], publish: false });
      code = data.results[0].qrCode.id;
    });

    test('is the last one requested, even while earlier calls are running', async () => {
      world.emulator.control.failNext({ status: 503, match: { path: '/qr/*/destination' } });
      const results = await Promise.all([B, A, B, A].map(retarget));
      expect(results.map(({ data }) => data.previousUrl)).toEqual([A, B, A, B]);
      await publish();
      expect(await destination()).toBe(A);
      world.emulator.control.failNext({ status: 503, match: { path: '/qr' } });
      await Promise.all([A, B, A, B].map(upsert));
      expect(await destination()).toBe(B);
    });

    test.each<[what: string, request: (url: string, nth: number) => Promise<unknown>]>([
      ['updating, then upserting', (url, nth) => (nth % 2 === 0 ? retarget(url) : upsert(url))],
      ['upserting, then updating', (url, nth) => (nth % 2 === 0 ? upsert(url) : retarget(url))],
    ])('is the last one requested by %s in turn', async (_what, request) => {
      await publish();
      await Promise.all([B, A].map(request));
      expect(await destination()).toBe(A);
      await Promise.all([B, A, B, A, B].map(request));
      expect(await destination()).toBe(B);
    });

    test('is unknown after someone else has changed it', async () => {
      await changeElsewhere();
      expect((await publish()).text).toMatch(/published(?!.*points to)/);
      expect((await world.server.call('get_qr_code', { code })).data.qrCode).not.toHaveProperty('targetUrl');
      expect((await upsert(A)).data.results).toMatchObject([{ outcome: 'updated' }]);
      await changeElsewhere();
      expect((await retarget(A)).data).not.toHaveProperty('previousUrl');
      expect(await destination()).toBe(A);
    });

    test('is unknown after a lost response', async () => {
      const { control } = world.emulator;
      await publish();
      control.failNext({ drop: 'after', times: Infinity, match: { path: '/qr/*/destination' } });
      expect((await retarget(B)).isError).toBe(true);
      control.clearFaults();
      const [result] = (await upsert(A)).data.results;
      expect(result).toMatchObject({ outcome: 'updated' });
      expect(result).not.toHaveProperty('previousUrl');
      expect(await destination()).toBe(A);
    });
  });
});

describe('access', () => {
  const SEED = { codes: [{ id: 'qr_1', name: 'Door', targetUrl: 'https://example.com' }] };

  let world: World;
  beforeAll(async () => {
    world = await startWorld({ seed: SEED });
  });
  afterAll(closeWorlds);

  /** The scopes that each tool needs. */
  const ALL: Record<string, readonly Scope[]> = {
    create_qr_codes: ['qr:write'],
    find_qr_codes: ['qr:read'],
    get_qr_code: ['qr:read'],
    publish_qr_code: ['qr:write'],
    retarget_qr_code: ['qr:write'],
    upsert_qr_codes: ['qr:read', 'qr:write'],
    render_qr_codes: ['exports:read'],
    list_scans: ['analytics:read'],
    whoami: [],
  };

  const startWith = (scopes: readonly Scope[]) =>
    startServer({ ...world.emulator, apiKey: world.emulator.control.createKey({ scopes }).apiKey });

  test.each(some([...SCOPES.filter((scope) => Object.values(ALL).flat().includes(scope)), undefined], 2))(
    'without the scope %s, its tools are not offered, and whoami says why',
    async (lacking) => {
      const server = await startWith(SCOPES.filter((scope) => scope !== lacking));
      const offered = Object.keys(ALL).filter(
        (name) => lacking === undefined || !ALL[name]!.includes(lacking),
      );
      expect(server.tools.map(({ name }) => name)).toEqual(offered);
      const { data, text } = await server.call('whoami');
      const unavailable = Object.keys(ALL).filter((name) => !offered.includes(name));
      expect(data.unavailableTools.map(({ tool }: { tool: string }) => tool)).toEqual(unavailable);
      expect(data.missingScopes).toEqual(lacking === undefined ? [] : [lacking]);
      for (const name of unavailable)
        expect(text).toContain(`Unavailable: ${name}. The API key lacks the scope ${lacking}.`);
    },
  );

  test('--read-only offers no tool that writes, and writes no files', async () => {
    const folder = temporaryFolder();
    const server = await startServer(world.emulator, { args: ['--read-only', '--out', folder] });
    expect((await server.call('render_qr_codes', { codes: ['qr_1'] })).isError).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    const reading = ['find_qr_codes', 'get_qr_code', 'render_qr_codes', 'list_scans', 'whoami'];
    expect(server.tools.map(({ name }) => name)).toEqual(reading);
    await expect(server.call('create_qr_codes', { rows: [] })).rejects.toThrow();
    const { data } = await server.call('whoami');
    expect(data.readOnly).toBe(true);
    expect(data.unavailableTools).toHaveLength(TOOLS.length - reading.length);
  });

  test('--allow-targets limits where codes may point, and whoami says so without the list', async () => {
    const server = await startServer(world.emulator, { args: ['--allow-targets', 'a.example'] });
    const before = world.emulator.control.requestCount();
    const targetUrl = 'https://evil.test/secret';
    for (const [tool, args] of [
      ['create_qr_codes', { rows: [{ name: 'A', targetUrl }] }],
      ['upsert_qr_codes', { rows: [{ name: 'A', targetUrl }], matchBy: 'name' }],
      ['retarget_qr_code', { code: 'https://r.example/x', url: targetUrl }],
    ] as const) {
      const { isError, data, text } = await server.call(tool, args);
      expect(isError).toBe(true);
      expect(text).toMatch(/evil\.test isn't an allowed .* ask the user to add it to --allow-targets/);
      expect(text).not.toMatch(/secret|a\.example/);
      expect(data.error ?? data.results[0].error).toMatchObject({ code: 'target_not_allowed' });
    }
    expect(world.emulator.control.requestCount()).toBe(before);
    const { data, text } = await server.call('whoami');
    expect(data.limitsDestinations).toBe(true);
    expect(text).toMatch(/^Destinations: only those that --allow-targets allows\.$/m);
    expect(text).not.toContain('a.example');
  });
});

describe('arguments', () => {
  const SEED = {
    codes: ['qr_1', 'qr_2', '7'].map((id, index) => ({
      id,
      name: `Door ${id}`,
      slug: `door-${index + 1}`,
      targetUrl: 'https://example.com',
      status: 'published' as const,
    })),
  };

  let world: World;
  beforeAll(async () => {
    world = await startWorld({ seed: SEED }, { transport: 'stdio', era: 'legacy' });
  });
  afterAll(closeWorlds);

  const ROW = { name: 'A', targetUrl: 'https://example.com/a' };
  /** An ID of 19 digits as a JSON number: the neighbor would be changed. */
  const LOST = Number('1234567890123456789');
  const TWO = 'https://a.example,https://b.example';
  type Args = Record<string, unknown>;
  /** What n8n adds to the arguments of every tool, and a coding agent its progress. */
  const ADDED = { toolCallId: 'call_1', sessionId: 'chat', action: 'x', chatInput: 'Hi', task_progress: '' };

  /** How models send arguments and what cells hold, where there is only one way to understand it. */
  test.each<[what: string, tool: string, args: Args, data: object]>([
    [
      'a number as text',
      'find_qr_codes',
      { name: 'Door', limit: '1' },
      { nextCursor: expect.stringMatching('list') },
    ],
    ['an array as JSON text', 'create_qr_codes', { rows: JSON.stringify([ROW, ROW]) }, { succeeded: 2 }],
    ['one row without an array', 'create_qr_codes', { rows: ROW }, { succeeded: 1 }],
    [
      'a list of one no',
      'create_qr_codes',
      { rows: [{ ...ROW, name: 7 }], publish: ['off'] },
      { results: [{ outcome: 'created', qrCode: { name: '7' } }] },
    ],
    ['a list of one ID', 'get_qr_code', { code: ['qr_1'] }, { qrCode: { id: 'qr_1' } }],
    ['a short number as an ID', 'get_qr_code', { code: 7 }, { qrCode: { id: '7' } }],
    ['a name to find', 'find_qr_codes', { name: 'door\u00A0qr_1' }, { qrCodes: [{ id: 'qr_1' }] }],
    ['what n8n adds', 'get_qr_code', { code: 'qr_1', ...ADDED }, { qrCode: { id: 'qr_1' } }],
    ['what n8n adds to rows', 'create_qr_codes', { rows: [ROW], ...ADDED }, { succeeded: 1 }],
    ['what clients add to no arguments', 'whoami', ADDED, { readOnly: false }],
  ])('understands %s', async (_what, tool, args, expected) => {
    const { isError, data } = await world.server.call(tool, args);
    expect({ isError, data }).toMatchObject({ isError: false, data: expected });
  });

  /** Arguments that can't be understood, and what the error says. */
  test.each<[what: string, tool: string, args: Args, message: string]>([
    ['a code with a name', 'find_qr_codes', { code: 'qr_1', name: 'Door' }, 'name must be left out if code'],
    ['a cursor that was changed', 'list_scans', { cursor: 'abc' }, 'cursor must be the cursor of an earlier'],
    ['an ID that lost digits', 'get_qr_code', { code: LOST }, 'a number of up to 15 digits'],
    ['an ID that would change the path', 'publish_qr_code', { code: '..' }, 'ID'],
    ['no rows', 'create_qr_codes', {}, 'rows must be an array of 1 to 100 items, but got 0.'],
    [
      'an empty list',
      'render_qr_codes',
      { codes: [] },
      'codes must be an array of 1 to 100 items, but got 0.',
    ],
    ['101 rows', 'upsert_qr_codes', { rows: Array.from({ length: 101 }, () => ROW) }, 'but got 101. Split'],
    ['two addresses', 'retarget_qr_code', { code: '7', url: TWO }, 'url contains more than one web address'],
    ['an unknown argument', 'find_qr_codes', { query: 'Door' }, 'find_qr_codes has no argument "query". Use'],
    ['a like one', 'whoami', { sessionid: '' }, 'whoami has no argument "sessionid". Leave it out.'],
  ])('refuses %s, before it sends a request', async (_what, tool, args, message) => {
    const before = world.emulator.control.requestCount();
    const { isError, data, text } = await world.server.call(tool, args);
    expect(isError).toBe(true);
    expect(data.error).toMatchObject({ message: text, retryable: false });
    expect(text).toContain(message);
    expect(text).toContain('Retry: with corrected arguments only.');
    expect(world.emulator.control.requestCount()).toBe(before);
  });

  /** Rows that can't be read, and what the error says. */
  test.each<[what: string, tool: string, row: unknown, message: string]>([
    [
      'a field that does not exist',
      'create_qr_codes',
      { ...ROW, slug: 'b' },
      'row 2 has no argument "slug".',
    ],
    ['what clients add', 'create_qr_codes', { ...ROW, action: 'x' }, 'row 2 has no argument "action".'],
    ['an ID that would change the path', 'upsert_qr_codes', { ...ROW, code: '..' }, 'ID'],
    ['a code that is gone', 'upsert_qr_codes', { ...ROW, code: 'qr_gone' }, "qr_gone doesn't exist"],
    // Ignored, the existing code would get a duplicate.
    [
      'a code under another name',
      'upsert_qr_codes',
      { ...ROW, id: 'qr_1' },
      'Use only code, name, targetUrl.',
    ],
  ])('a row with %s of %s fails alone', async (_what, tool, bad, message) => {
    const { isError, data } = await world.server.call(tool, { rows: [ROW, bad] });
    expect(isError).toBe(false);
    const [first, second] = data.results;
    expect(first.error).toBeUndefined();
    expect(second).toMatchObject({ outcome: 'failed', error: { retryable: false } });
    expect(second.error.message).toContain(message);
  });

  test('render_qr_codes reads JSON text, and a missing or empty code fails alone', async () => {
    const args = { codes: '["qr_1", "qr_gone", null]', format: ['SVG'], size: '0' };
    const { isError, text } = await world.server.call('render_qr_codes', args);
    expect(isError).toBe(false);
    expect(text).toMatch(
      /^Drew 1 of 3 as SVG\. 2 rows failed\.[^]*\nRow 2: .*qr_gone[^]*\nRow 3: code is empty/,
    );
  });
});

describe('lists', () => {
  const HOUR_MS = 3_600_000;
  const START = Date.parse('2026-01-05T00:00:00Z');
  const MONDAY = '2026-01-05';
  const WEDNESDAY = '2026-01-07';
  const NEXT_MONDAY = '2026-01-12';
  const TABLES = [3, 4, 5];
  /** Every third hour, for ten days. */
  const TIMES = Array.from({ length: 80 }, (_, nth) => new Date(START + 3 * nth * HOUR_MS).toISOString());
  const WEEK = TIMES.filter((time) => time < NEXT_MONDAY);
  const SCANS = TABLES.length * TIMES.length;
  const SEED = {
    codes: Array.from({ length: 10 }, (_, nth) => ({
      id: `qr_${nth}`,
      name: `Table ${nth}`,
      slug: `table-${nth}`,
      targetUrl: 'https://example.com',
      status: 'published' as const,
      scans: TABLES.includes(nth) ? TIMES.map((scannedAt) => ({ scannedAt, country: 'DE' })) : [],
    })),
  };

  let world: World;
  beforeAll(async () => {
    world = await startWorld({ seed: SEED });
  });
  afterAll(closeWorlds);

  const call = async (tool: string, args: Record<string, unknown>) =>
    (await world.server.call(tool, args)).data;
  const sum = (counts: Record<string, number> | number[]) => Object.values(counts).reduce((a, b) => a + b, 0);

  test('counts of scans add up over time windows, pages and new scans', async () => {
    const all = await call('list_scans', {});
    expect(all).toMatchObject({ count: SCANS, complete: true, perCode: { qr_3: 80, qr_4: 80, qr_5: 80 } });
    expect(sum(all.perDay)).toBe(SCANS);
    const windows = [{ until: WEDNESDAY }, { since: WEDNESDAY, until: NEXT_MONDAY }, { since: NEXT_MONDAY }];
    const counted = await Promise.all(windows.map((window) => call('list_scans', window)));
    expect(sum(counted.map(({ count }) => count as number))).toBe(SCANS);
    const ids: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const { scans, nextCursor } = await call('list_scans', {
        since: MONDAY,
        code: 'qr_4',
        limit: 7,
        cursor,
      });
      ids.push(...scans.map(({ id }: { id: string }) => id));
      cursor = nextCursor;
    }
    expect([ids.length, new Set(ids).size]).toEqual([TIMES.length, TIMES.length]);
    await fetch((await call('get_qr_code', { code: 'qr_4' })).qrCode.publicUrl, { redirect: 'manual' });
    const later = await call('list_scans', { since: TIMES.at(-1), code: 'qr_4' });
    expect(later).toMatchObject({ count: 2, complete: true, scans: [{ qrId: 'qr_4' }, { qrId: 'qr_4' }] });
  });

  test('scans of one code in a week are counted by its short link, per day, in one call', async () => {
    const code = `${world.emulator.url}/r/table-4`;
    const { data, text } = await world.server.call('list_scans', { code, since: MONDAY, until: NEXT_MONDAY });
    const count = WEEK.length;
    const perDay = { '2026-01-11': 8 };
    expect(data).toMatchObject({ count, perCode: { qr_4: count }, perDay, complete: true });
    const parts = [
      `${count} scans were found.`,
      'Per QR code: qr_4: ',
      '2026-01-11: 8',
      "can't filter by code",
    ];
    for (const part of parts) expect(text).toContain(part);
  });

  test('list_scans reports a missing code instead of counting zero scans', async () => {
    const { error } = await call('list_scans', { code: 'Table 4' });
    expect(error).toMatchObject({ code: 'not_found' });
  });

  test('list_scans counts scans without a code or a time as unknown', async () => {
    const rows = [
      { id: 's1', qrId: 'qr_1', scannedAt: '2026-01-05T01:00:00Z', os: null, browser: '' },
      { id: 's2', qrId: 'qr_1' },
      { id: 's3', scannedAt: '2026-01-05T02:00:00Z' },
    ];
    const { url } = await startListService({ rows });
    const server = await startServer({ url, apiKey: 'key' });
    const all = await server.call('list_scans');
    const perCode = { qr_1: 2, unknown: 1 };
    expect(all.data).toMatchObject({ count: 3, perCode, perDay: { '2026-01-05': 2, unknown: 1 } });
    expect(all.text).toMatch(/^2026-01-05T01:00:00.000Z · QR code qr_1$/m);
    const one = await server.call('list_scans', { code: 'qr_1' });
    expect(one.data).toMatchObject({ count: 2, read: 3, withoutCode: 1 });
    expect(one.text).toContain("1 were left out because they don't name their code.");
  });
});

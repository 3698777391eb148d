import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowJson } from '../../engines/n8n/index.ts';
import { CODE, serve } from '../support/faultyService/faultyService.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { type ListService, startListService } from '../support/modelService/listService.ts';
import { some } from '../support/seed.ts';
import { type AgentOptions, runAgent, type Tool, TOOL_RUNS } from './support/agent.ts';
import { action, afterPolls, codeBy, CREATE, CREATE_LIVE, NODE } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

describe('actions', () => {
  const run = (...args: Parameters<typeof action>) => world.engine.runWorkflow(action(...args));
  const rows = (...names: string[]) =>
    names.map((name) => ({ name, targetUrl: `https://example.com/${encodeURIComponent(name)}` }));

  /** Unpublished codes that exist from the start. */
  const seededWith = (...names: string[]) => ({ seed: { codes: rows(...names) } });

  async function create(...names: string[]): Promise<{ id: string; publicUrl: string; slug: string }[]> {
    const { data } = await run(CREATE_LIVE, rows(...names));
    return data[NODE]!.map(({ json }) => json as { id: string; publicUrl: string; slug: string });
  }

  test('Create returns one code per item, in order and paired with its item', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `Ordered ${i}`);
    const { status, data } = await run(CREATE, rows(...names));
    expect(status).toBe('success');
    expect(data[NODE]!.map(({ json }) => json['name'])).toEqual(names);
    expect(data[NODE]!.map(({ pairedItem }) => pairedItem)).toEqual(names.map((_, item) => ({ item })));
    expect(data[NODE]![0]!.json).toMatchObject({
      mode: 'dynamic',
      contentType: 'url',
      status: expect.any(String),
      targetUrl: rows(...names)[0]!.targetUrl,
    });
  });

  test('all operations output the fields that identify a code first', async () => {
    const [code] = await create('Ordered');
    const qrCodeId = codeBy('id', code!.id);
    for (const parameters of [
      { operation: 'get', qrCodeId },
      { operation: 'getAll', limit: 101 },
      { operation: 'find', search: 'Ordered', exactMatch: true, limit: 1 },
      { operation: 'publish', qrCodeId },
      { operation: 'retarget', qrCodeId, url: 'https://example.com/' },
      { ...CREATE_LIVE, name: 'Ordered', targetUrl: 'https://example.com/' },
      { operation: 'upsert', matchBy: 'id', qrCodeId, targetUrl: 'https://example.com/' },
    ]) {
      const { data } = await run(parameters);
      const keys = Object.keys(data[NODE]![0]!.json);
      expect(keys.slice(0, 4)).toEqual(['id', 'name', 'publicUrl', 'status']);
      expect(keys.indexOf('outcome')).toBeLessThan(5);
      expect(keys.indexOf('targetUrl')).toBeLessThan(6);
    }
  });

  test('Publish activates the short link, and updating the destination changes where it leads', async () => {
    const [code] = (await run(CREATE, rows('Door'))).data[NODE]!.map(
      ({ json }) => json as { id: string; publicUrl: string },
    );
    const published = await run({ operation: 'publish', qrCodeId: codeBy('id', code!.id) });
    expect(published.data[NODE]![0]!.json).toMatchObject({ id: code!.id, status: 'published' });
    const target = async () => (await fetch(code!.publicUrl, { redirect: 'manual' })).headers.get('location');
    expect(await target()).toBe('https://example.com/Door');

    const retarget = {
      operation: 'retarget',
      qrCodeId: codeBy('id', '={{ $json.id }}'),
      url: '={{ $json.url }}',
    };
    const [item] = (await run(retarget, [{ id: code!.id, url: 'example.com/new' }])).data[NODE]!;
    expect(item!.json).toMatchObject({ id: code!.id, targetUrl: 'https://example.com/new' });
    expect(await target()).toBe('https://example.com/new');
  });

  const printed = ({ publicUrl }: { publicUrl: string }) => publicUrl.replace('http://', '');

  test.each([
    ['its ID', 'id', (code: { id: string }) => code.id],
    ['its short link', 'url', (code: { publicUrl: string }) => code.publicUrl],
    ['its API URL', 'url', (code: { id: string }) => `${world.emulator.url}/v1/public-api/qr/${code.id}`],
    ['its short link without the scheme in a field for IDs', 'id', printed],
  ] as const)('Get finds a code by %s', async (_how, mode, value) => {
    const [code] = await create('Findable');
    const { data } = await run({ operation: 'get', qrCodeId: codeBy(mode, value(code!)) });
    expect(data[NODE]![0]!.json).toMatchObject({ id: code!.id, name: 'Findable' });
  });

  describe('Find', () => {
    let other: World;
    const find = (parameters: object, found: object[] = [{}]) =>
      other.engine.runWorkflow(action({ operation: 'find', ...parameters }, found as never));
    beforeAll(async () => {
      const given = ['Table 10', 'table 1', 'Table 1', 'Café'];
      const more = Array.from({ length: 120 }, (_, i) => `Hay ${i}`);
      other = await startWorld({ maxLimit: 50, ...seededWith(...given, ...more) });
    });
    afterAll(() => other.close());

    test('reads the list once for all items, and pairs each match with its item', async () => {
      const before = other.emulator.control.requestCount();
      const { data } = await find({ search: '={{ $json.wanted }}', exactMatch: true }, [
        { wanted: 'Table 1' },
        { wanted: 'Nowhere' },
        { wanted: 'Café' },
      ]);
      expect(data[NODE]!.map(({ json, pairedItem }) => [json['name'], pairedItem])).toEqual([
        ['Table 1', { item: 0 }],
        ['Café', { item: 2 }],
      ]);
      const pages = Math.ceil(124 / 50);
      // A page of 100 is refused first.
      expect(other.emulator.control.requestCount() - before).toBe(pages + 1);
    });

    test('fails instead of finding nothing if the list could not be read completely', async () => {
      other.emulator.control.failNext({ code: 'insufficient_scope', match: { query: 'cursor' } });
      const { error } = await find({ search: 'Nowhere' });
      expect(error?.message).toMatch(/scope/);
    });
  });

  test('a file is named after the slug, and the code is read unless the item has its slug and status from one of our nodes', async () => {
    const [code] = await create('Sluggish');
    const { control } = world.emulator;
    const render = { operation: 'render', qrCodeId: codeBy('id', code!.id) };
    const fileName = async (row: object, options: object = {}, engine = world.engine, from = afterPolls) => {
      const before = control.requestCount();
      const parameters = { ...render, options: { size: 100, ...options } };
      const { data } = await engine.runWorkflow(from(action(parameters, [{ ...row }])));
      const requests = control.requestCount() - before;
      return [data[NODE]![0]!.binary!['data']!.fileName, requests];
    };
    const slugName = `${code!.slug}.png`;
    expect(await fileName({ ...code! })).toEqual([slugName, 1]);
    const fromSheet = (workflow: WorkflowJson) => workflow;
    expect(await fileName({ ...code! }, {}, world.engine, fromSheet)).toEqual([slugName, 2]);
    const { slug } = code!;
    expect(await fileName({ qrId: code!.id, slug, status: 'published' })).toEqual([slugName, 1]);
    expect(await fileName({ qrId: code!.id, slug, status: 'ready' })).toEqual([slugName, 2]);
    expect(await fileName({ status: 'published' }, { fileName: 'chosen' })).toEqual(['chosen.png', 2]);
    const thai = { fileName: 'ก'.repeat(90) };
    expect(await fileName({ status: 'published' }, thai)).toEqual([`${'ก'.repeat(80)}.png`, 2]);
    expect(await fileName({ name: 'Another row', slug: 'another' })).toEqual([slugName, 2]);

    const { apiKey } = control.createKey({ scopes: ['exports:read'] });
    const rendersOnly = await world.engineWith({ apiKey });
    expect(await fileName({ slug: 'another' }, {}, rendersOnly)).toEqual([`${code!.id}.png`, 2]);
  });

  test.each<[string, INodeParameters]>([
    [
      'Download Image',
      {
        operation: 'render',
        qrCodeId: codeBy('id', '={{ $json.id }}'),
        format: 'png',
        options: { size: 100, additionalFormats: ['svg', 'png', 'pdf'] },
      },
    ],
    [
      'Create',
      { ...CREATE_LIVE, includeInputFields: true, options: { downloadImages: ['png', 'svg', 'pdf'] } },
    ],
  ])(
    '%s downloads several formats at once, each into its own field beside the files of the item',
    async (_operation, parameters) => {
      const [code] = await create('Printable');
      const workflow = action(parameters);
      const photo = { data: '', mimeType: 'image/jpeg', fileName: 'table.jpg' };
      const json = { targetUrl: 'https://example.com/', ...code! };
      workflow.pinData = { Rows: [{ json, binary: { photo } }] };
      const { data, error } = await world.engine.runWorkflow(workflow);
      expect(error).toBeUndefined();
      const [item] = data[NODE]!;
      const slug = item!.json['slug'] as string;
      expect(
        Object.entries(item!.binary!).map(([field, { mimeType, fileName }]) => [field, mimeType, fileName]),
      ).toEqual([
        ['photo', photo.mimeType, photo.fileName],
        ['data', 'image/png', `${slug}.png`],
        ['data_svg', 'image/svg+xml', `${slug}.svg`],
        ['data_pdf', 'application/pdf', `${slug}.pdf`],
      ]);
      const bytes = await Promise.all(
        ['data', 'data_svg', 'data_pdf'].map((field) => world.engine.getBinary(item!, field)),
      );
      expect(bytes.map((file) => file.subarray(0, 5).toString('latin1'))).toEqual([
        '\x89PNG\r',
        expect.stringMatching(/^<(svg|\?xml)/),
        '%PDF-',
      ]);
    },
  );

  describe('the code picker with a filter', () => {
    const search = { nodeType: 'n8n-nodes-qr-service.qrService', method: 'searchQrCodes' };
    let service: ListService;
    let engine: World['engine'];
    beforeAll(async () => {
      service = await startListService();
      engine = await world.engineWith({ baseUrl: service.url });
    });

    /** This many codes. The ones at these positions match the search. */
    const codes = (count: number, isWanted: (index: number) => boolean) =>
      Array.from({ length: count }, (_, i) => ({
        id: `qr_${i}`,
        name: isWanted(i) ? `Tablé ${i}` : `Hay ${i}`,
        publicUrl: `https://r.example/${i}`,
      }));

    test('pauses at 50 matches, and continues with its token until every match is listed', async () => {
      service.rows = codes(1000, (i) => i % 4 === 0);
      const first = await engine.search({ ...search, filter: 'Table' });
      expect(first.results).toHaveLength(50);
      const [zero] = first.results;
      expect(zero).toEqual({ name: expect.any(String), value: 'qr_0', url: 'https://r.example/0' });
      const values = first.results.map(({ value }) => value);
      for (let token = first.paginationToken; token !== undefined;) {
        const next = await engine.search({ ...search, filter: 'Table', paginationToken: token });
        values.push(...next.results.map(({ value }) => value));
        token = next.paginationToken;
      }
      expect(values).toEqual(Array.from({ length: 250 }, (_, i) => `qr_${i * 4}`));
    });

    test('lists a page at a time without a filter, until the cursor repeats, and says why it fails', async () => {
      Object.assign(service, { rows: codes(3, () => true), isFeed: true, pageSize: 2 });
      let page = await engine.search(search);
      const sizes = [page.results.length];
      while (page.paginationToken !== undefined && sizes.length < 4) {
        page = await engine.search({ ...search, paginationToken: page.paginationToken });
        sizes.push(page.results.length);
      }
      expect(sizes).toEqual([2, 1, 0]);
      service.refusal = () => 'insufficient_scope';
      await expect(engine.search(search)).rejects.toThrow(
        /lacks a scope\. .*, then update the credential\.$/,
      );
      Object.assign(service, { isFeed: false, pageSize: 100, refusal: () => undefined });
    });

    test('without a filter, lists the newest codes first', async () => {
      // The picker reads windows before the service's own time, which its Date header says.
      const updatedAt = (i: number) => new Date(Date.now() - (300 - i) * 3_600_000).toISOString();
      service.rows = codes(300, () => true).map((code, i) => ({ ...code, updatedAt: updatedAt(i) }));
      const { results } = await engine.search(search);
      expect(results.slice(0, 3).map(({ value }) => value)).toEqual(['qr_299', 'qr_298', 'qr_297']);
    });

    test('ends at a page that repeats its cursor', async () => {
      const page = JSON.stringify({ data: [CODE], pagination: { nextCursor: 'same' } });
      const { url } = await serve((_request, response) => response.end(page));
      const stuck = await world.engineWith({ baseUrl: url });
      const found = await stuck.search({ ...search, filter: CODE.name, paginationToken: 'same' });
      expect(found).toEqual({ results: [expect.objectContaining({ value: CODE.id })] });
    });

    test('ends with an entry that says so if it stopped after 10 s', async () => {
      service.rows = codes(6000, (i) => i === 3900 || i === 4050);
      const time = startVirtualTime();
      service.responds = () => time.advance(250);
      const stopped = { name: 'Not all codes were searched. Use By ID or By URL.', value: false };
      try {
        const first = await engine.search({ ...search, filter: 'Table' });
        expect(first).toEqual({ results: [expect.objectContaining({ value: 'qr_3900' }), stopped] });
        const last = await engine.search({ ...search, filter: 'Table', paginationToken: '5000' });
        expect(last).toEqual({ results: [] });
      } finally {
        jest.restoreAllMocks();
        service.responds = () => true;
      }
    });
  });
});

describe('as a tool of an agent', () => {
  const messageOf = (error: unknown) => (error as Error).message;

  type Row = Record<string, unknown>;

  const byModel = (key: string) => `={{ $fromAI('${key}', '', 'string') }}`;
  const THE_CODE = { qrCodeId: codeBy('id', byModel('qrCodeId')) };

  const CREATE_BY_MODEL = {
    operation: 'create',
    name: "={{ $fromAI('name', 'Name of the code', 'string') }}",
    targetUrl: "={{ $fromAI('targetUrl', 'Where a scan leads to', 'string') }}",
  };
  const TABLE_9 = { name: 'Table 9', targetUrl: 'https://example.com/9' };

  async function create(...names: string[]): Promise<{ id: string; slug: string; publicUrl: string }[]> {
    const rows = names.map((name) => ({ name, targetUrl: 'https://example.com/' }));
    const { data } = await world.engine.runWorkflow(action(CREATE, rows));
    return data[NODE]!.map(({ json }) => json as { id: string; slug: string; publicUrl: string });
  }

  const codesNamed = async (wanted: string) => {
    const find = { operation: 'find', search: wanted, exactMatch: true };
    return (await world.engine.runWorkflow(action(find))).data[NODE]!.map(({ json }) => json['id']);
  };

  describe.each(some(TOOL_RUNS, 1))('a tool that n8n runs as "%s"', (toolRun) => {
    /** What the model received for each input, one call after the other. */
    async function answers(
      parameters: INodeParameters,
      inputs: object[],
      options: AgentOptions = {},
    ): Promise<string[]> {
      const received: string[] = [];
      const { error } = await runAgent(
        world,
        parameters,
        async (tool) => {
          for (const input of inputs) received.push(await tool.invoke(input).catch(messageOf));
        },
        { toolRun, ...options },
      );
      if (error !== undefined) throw error;
      return received;
    }

    async function call(parameters: INodeParameters, input: object, options?: AgentOptions): Promise<Row[]> {
      const [answer] = await answers(parameters, [input], options);
      return JSON.parse(answer!) as Row[];
    }

    test('shows an agent what the operation does and which fields to fill in, and runs its call', async () => {
      let shown: Tool | undefined;
      let answer = '';
      await runAgent(
        world,
        CREATE_BY_MODEL,
        async (tool) => {
          shown = tool;
          answer = await tool.invoke(TABLE_9);
        },
        { toolRun },
      );
      expect(shown!.description).toBe('Create QR code in QR Service');
      const described = Object.entries(shown!.schema.shape).map(([key, { description }]) => [
        key,
        description,
      ]);
      expect(described).toEqual([
        ['name', 'Name of the code'],
        ['targetUrl', 'Where a scan leads to'],
      ]);
      const [code] = JSON.parse(answer) as Row[];
      expect(code).toMatchObject({ name: 'Table 9', status: 'published' });

      const url = 'https://example.com/new';
      const retarget = { operation: 'retarget', ...THE_CODE, url: byModel('url') };
      const [retargeted] = await call(retarget, { qrCodeId: code!['id'], url });
      expect(retargeted).toEqual({ ...code, updatedAt: expect.any(String), targetUrl: url });
      const response = await fetch(code!['publicUrl'] as string, { redirect: 'manual' });
      expect(response.headers.get('location')).toBe(url);
    });

    test('creates a separate code for each tool call, even with the same input', async () => {
      const name = `Twin ${toolRun}`;
      const input = { name, targetUrl: 'https://example.com/' };
      const ids: unknown[] = [];
      await runAgent(
        world,
        CREATE_BY_MODEL,
        async (tool) => {
          const together = await Promise.all([tool.invoke(input), tool.invoke(input)]);
          const created = [...together, await tool.invoke(input)];
          ids.push(...created.map((answer) => (JSON.parse(answer) as Row[])[0]!['id']));
        },
        { toolRun, settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } },
      );
      expect(new Set(ids).size).toBe(3);
      expect(new Set(await codesNamed(name))).toEqual(new Set(ids));
    });

    test('Retry On Fail repeats a call without creating a duplicate', async () => {
      const name = `Retried ${toolRun}`;
      const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
      // The code is created. Publishing it fails, so n8n runs the whole call again.
      world.emulator.control.failNext({ code: 'contrast_check_failed', match: { path: '/qr/*/publish' } });
      const [code] = await call(CREATE_BY_MODEL, { ...TABLE_9, name }, { settings });
      expect(code).toMatchObject({ name, status: 'published' });
      expect(await codesNamed(name)).toEqual([code!['id']]);
    });

    test.each([
      ['an invalid target', CREATE_BY_MODEL, { name: 'Door', targetUrl: 'nowhere' }, /target/i],
      [
        'a target that the credential does not allow',
        CREATE_BY_MODEL,
        { name: 'Door', targetUrl: 'https://evil.test' },
        /^.*evil\.test isn't an allowed destination\. Correct the address/,
      ],
      [
        'an unknown short link',
        { operation: 'get', ...THE_CODE },
        { qrCodeId: 'https://r.example/x' },
        /No QR code has the short link .* Check the link/,
      ],
    ])(
      'tells the model why a call with %s failed and how to fix it',
      async (_what, parameters, input, words) => {
        const [answer] = await answers(parameters, [input], { allowedTargets: 'example.com' });
        expect(answer).toMatch(words);
        expect(answer).not.toContain('[item');
        // The problem and the advice, each once.
        const sentences = answer!.split(/(?<=[.;])\s+/);
        expect(sentences.length).toBeGreaterThan(1);
        expect(new Set(sentences).size).toBe(sentences.length);
      },
    );

    test('a tool that continues on errors returns the error as data', async () => {
      const settings = { onError: 'continueRegularOutput' as const };
      const [answer] = await call(CREATE_BY_MODEL, { name: 'Door', targetUrl: 'nowhere' }, { settings });
      expect(answer).toMatchObject({
        error: expect.stringMatching(/target/i),
        details: { code: 'validation_failed', description: expect.stringMatching(/./) },
      });
      const [missing] = await call({ operation: 'get', ...THE_CODE }, { qrCodeId: 'Table 9' }, { settings });
      expect(missing).toMatchObject({ details: { description: expect.stringContaining('not its name') } });
    });

    // What follows doesn't depend on how n8n runs the tool.
    if (toolRun !== 'engine') return;

    test('the image step describes the file and its code, and tells the model how to use the file', async () => {
      const [code] = await create('Rendered');
      const render = { operation: 'render', ...THE_CODE, options: { additionalFormats: ['svg'] } };
      const [image, ...others] = await call(render, { qrCodeId: code!.publicUrl });
      expect(others).toEqual([]);
      expect(image).toEqual({
        id: code!.id,
        name: 'Rendered',
        publicUrl: code!.publicUrl,
        status: 'draft',
        fileName: `${code!.slug}.png`,
        mimeType: 'image/png',
        fileSize: expect.any(Number),
        additionalFiles: [
          { fileName: `${code!.slug}.svg`, mimeType: 'image/svg+xml', fileSize: expect.any(Number) },
        ],
        message: expect.stringMatching(
          /^This QR code isn't published \(draft\), so its short link doesn't work\. .*use a tool whose workflow downloads the image/,
        ),
      });
      expect(image!['fileSize']).toBeGreaterThan(100);
      await world.engine.runWorkflow(action({ operation: 'publish', qrCodeId: codeBy('id', code!.id) }));
      const [live] = await call({ operation: 'render', ...THE_CODE }, { qrCodeId: code!.id });
      expect(live!['message']).toMatch(/^The image was rendered but not kept/);
      expect(live).not.toHaveProperty('additionalFiles');
    });

    test('a list returns at most 100 rows, and tells the model if there are more or none', async () => {
      const service = await startListService();
      const other = { ...world, emulator: { ...world.emulator, url: service.url } };
      const rows = async (parameters: INodeParameters, input: object) => {
        let answer = '';
        const use = async (tool: Tool) => {
          answer = await tool.invoke(input);
        };
        await runAgent(other, parameters, use, { toolRun });
        return JSON.parse(answer) as Row[];
      };
      const list = { operation: 'getAll', returnAll: byModel('all'), limit: byModel('limit') };
      const all = { all: 'true', limit: '' };
      expect(await rows(list, all)).toEqual([{ message: 'No QR codes were found.' }]);
      expect(await rows({ ...list, resource: 'scan' }, all)).toEqual([{ message: 'No scans were found.' }]);

      service.rows = Array.from({ length: 101 }, (_, i) => ({
        id: `qr_${i}`,
        name: `Code ${i}`,
        qrId: `qr_${i}`,
      }));
      for (const [input, count] of [
        [all, 100],
        [{ all: '', limit: '5000' }, 100],
        [{ all: '', limit: '3' }, 3],
      ] as const) {
        const found = await rows(list, input);
        expect(found).toHaveLength(count + 1);
        expect(found.at(-1)).toEqual({
          message: `These are the first ${count} QR codes. There are more. To find a specific one, use the Find operation. To list fewer, use Updated Since.`,
        });
      }
      expect((await rows({ ...list, resource: 'scan' }, all))[100]).toEqual({
        message: 'These are the first 100 scans. There are more. To list later ones, use Since.',
      });
      expect((await rows({ resource: 'scan', operation: 'count' }, {}))[100]).toEqual({
        message: 'These are the first 100 counts. There are more. To count fewer scans, use Since and Until.',
      });
      const matches = await rows({ operation: 'find', search: 'code', returnAll: true }, {});
      expect(matches).toHaveLength(101);
      expect(matches.at(-1)).toEqual({
        message: 'These are the first 100 matching QR codes. There are more. Search with more of the name.',
      });
      service.rows = service.rows.slice(0, 100);
      expect((await rows(list, all)).map(({ id }) => id)).toEqual(service.rows.map(({ id }) => id));
    });

    test('immediately tells the model how long to wait if the rate limit lasts longer than a minute', async () => {
      const retryAfter = 3000;
      world.emulator.control.failNext({ code: 'rate_limited', retryAfter });
      const [answer] = await answers({ resource: 'account', operation: 'get' }, [{}]);
      expect(answer).toMatch(/Wait 50 minutes/);
    });
  });
});

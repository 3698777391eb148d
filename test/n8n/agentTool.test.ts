import type { INodeParameters } from 'n8n-workflow';
import { closeServices } from '../support/faultyService/faultyService.ts';
import { runAgent, TOOL_RUNS, type AgentOptions, type Tool } from './support/agent.ts';
import { startListService } from './support/listService.ts';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
  closeServices();
});

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

describe.each(TOOL_RUNS)('a tool that n8n runs as "%s"', (toolRun) => {
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
    const described = Object.entries(shown!.schema.shape).map(([key, { description }]) => [key, description]);
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

    service.rows = Array.from({ length: 101 }, (_, i) => ({ id: `qr_${i}`, name: `Code ${i}` }));
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
    expect(await rows({ ...list, resource: 'scan' }, all)).toHaveLength(101);
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

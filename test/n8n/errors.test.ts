import { inspect } from 'node:util';
import type { IDataObject, INode, INodeParameters, ITaskData, NodeExecutionHint } from 'n8n-workflow';
import { CODE, serve } from '../support/faultyService/faultyService.ts';
import { REQUEST_ID, respondWith, serviceError } from '../support/faultyService/serviceErrors.ts';
import { some } from '../support/seed.ts';
import { action, codeBy, CREATE, CREATE_LIVE, NODE } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

describe('errors', () => {
  const ONE = codeBy('id', 'qr_1');
  const EACH = codeBy('id', "={{ 'qr_1' }}");
  const UPSERT = { ...CREATE, qrCodeId: codeBy('id', "={{ '' }}") };
  /** Some items lead there: the credential doesn't allow it. */
  const ELSEWHERE = '={{ $json.elsewhere }}';
  const row = (name: string, targetUrl = 'https://example.com/') => ({ name, targetUrl });
  const ROWS = [row('Good 1'), row('Bad 1', 'mailto:nobody'), row('Good 2'), row(''), row('Good 3')];

  test.each<[string, IDataObject, number, string, string]>(
    some(
      [
        [
          'create',
          CREATE,
          31,
          'Name is empty',
          "Enter a value. Invalid items, counted from 0: 31, 35 (Target URL isn't a valid web address: 'nope'), 38 (Name is empty).",
        ],
        [
          'upsert',
          UPSERT,
          31,
          'Name is empty',
          "Enter a value. Invalid items, counted from 0: 31, 35 (Target URL isn't a valid web address: 'nope'), 38 (Name is empty).",
        ],
        [
          'publish',
          { qrCodeId: codeBy('id', '={{ $json.id }}') },
          12,
          'QR Code is empty',
          'Choose one from the list, or enter an ID or a short link. Invalid item, counted from 0: 12.',
        ],
        [
          'retarget',
          { qrCodeId: EACH, url: '={{ $json.targetUrl }}' },
          35,
          "New Target URL isn't a valid web address: 'nope'",
          'Use a full web address',
        ],
        ...['create', 'upsert', 'retarget'].map(
          (operation): [string, IDataObject, number, string, string] => [
            operation,
            {
              name: 'A',
              qrCodeId: operation === 'retarget' ? EACH : codeBy('id', "={{ '' }}"),
              targetUrl: ELSEWHERE,
              url: ELSEWHERE,
            },
            7,
            "evil.test isn't an allowed destination",
            "Correct the address, or have it added to Allowed Destinations in the credential. Invalid items, counted from 0: 7, 9 (evil.test isn't an allowed destination).",
          ],
        ),
      ],
      3,
    ),
  )(
    '%s names an invalid item before it sends anything',
    async (operation, own, itemIndex, title, description) => {
      const before = world.emulator.control.requestCount();
      const items = Array.from({ length: 40 }, (_, nth) => ({
        name: nth === 31 || nth === 38 ? '' : `Row ${nth}`,
        targetUrl: nth === 35 ? 'nope' : 'https://example.com/',
        id: nth === 12 ? '' : 'qr_1',
        elsewhere: nth === 7 || nth === 9 ? 'https://evil.test/?secret' : 'https://example.com/',
      }));
      const engine = await world.engineWith({ allowedTargets: 'example.com\n*.example.com' });
      const { error } = await engine.runWorkflow(action({ ...own, operation }, items));
      expect(error).toMatchObject({ message: title, context: { itemIndex } });
      expect(error!.description).toContain(description);
      expect(error!.description).toMatch(/Nothing was sent to the service\.$/);
      expect(world.emulator.control.requestCount()).toBe(before);
    },
  );

  test('with Continue, returns an error in place of each invalid item and processes the others', async () => {
    const settings = { onError: 'continueRegularOutput' } as const;
    const { status, data } = await world.engine.runWorkflow(action(CREATE, ROWS, settings));
    expect(status).toBe('success');
    expect(data[NODE]!.map(({ json, pairedItem }) => [json['name'] ?? 'error', pairedItem])).toEqual(
      ['Good 1', 'error', 'Good 2', 'error', 'Good 3'].map((name, item) => [name, { item }]),
    );
    expect(data[NODE]![1]!.json).toEqual({
      error: 'The service rejected the input',
      details: {
        code: 'validation_failed',
        httpCode: '422',
        description: expect.stringMatching(
          /^content\.targetUrl must be an absolute URL.* Correct the input\.$/,
        ),
        requestId: expect.any(String),
        details: { fields: { 'content.targetUrl': expect.stringMatching(/absolute URL/) } },
      },
    });
    expect(data[NODE]![3]!.json).toMatchObject({
      error: 'Name is empty',
      details: { code: 'validation_failed' },
    });
  });

  test('an invalid credential sends every item to the error output instead of passing it on', async () => {
    const engine = await world.engineWith({ baseUrl: 'nope' });
    const settings = { onError: 'continueErrorOutput' } as const;
    const { outputs, run, status } = await engine.runWorkflow(action(CREATE, ROWS, settings));
    expect(status).toBe('success');
    const reason = {
      error: expect.stringMatching(/^Base URL isn't a valid URL/),
      details: { code: 'invalid_input' },
    };
    const failed = ROWS.map((_row, item) => ({ json: reason, pairedItem: { item } }));
    expect(outputs[NODE]).toMatchObject([[], failed]);
    expect(run.data.resultData.runData[NODE]![0]!.hints).toMatchObject([
      { message: '5 of 5 items failed. See the error output.' },
    ]);
    const stopped = await engine.runWorkflow(action(CREATE, ROWS));
    expect(stopped.error).toMatchObject({ message: reason.error });
  });

  test('sends invalid items to the error output together with their input fields', async () => {
    const settings = { onError: 'continueErrorOutput' } as const;
    const { outputs } = await world.engine.runWorkflow(action(CREATE, ROWS, settings));
    const [good, bad] = outputs[NODE]!;
    expect(good!.map(({ json }) => json['name'])).toEqual(['Good 1', 'Good 2', 'Good 3']);
    expect(bad!.map(({ json }) => json)).toMatchObject([
      { ...ROWS[1], error: 'The service rejected the input', details: { code: 'validation_failed' } },
      { ...ROWS[3], error: 'Name is empty', details: { code: 'validation_failed' } },
    ]);
  });

  test('the error about a missing scope says how to see the scopes in n8n, not to reconnect', async () => {
    const { apiKey } = world.emulator.control.createKey({ scopes: ['qr:read'] });
    const engine = await world.engineWith({ apiKey });
    const { error } = await engine.runWorkflow(action({ resource: 'scan', operation: 'getAll' }));
    expect(error).toMatchObject({
      name: 'NodeApiError',
      httpCode: '403',
      context: { itemIndex: 0 },
      message: 'The API key lacks the scope analytics:read',
      description: expect.stringMatching(/To see the scopes of an API key, use Account: Get\.$/),
    });
    expect(`${error!.message} ${error!.description}`).not.toMatch(
      /reconnect|check your credentials|forbidden/i,
    );
  });

  test('does not follow a redirect, so the key is not sent to another host', async () => {
    const before = world.emulator.control.requestCount();
    const location = `${world.emulator.url}/v1/public-api/me`;
    const { url } = await serve((_request, response) => response.writeHead(307, { location }).end());
    const engine = await world.engineWith({ baseUrl: url });
    const { error } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
    expect(error?.message).toContain('redirect');
    expect(world.emulator.control.requestCount()).toBe(before);
  });

  describe('Create with Publish', () => {
    /** The first publication is rejected. */
    function refuseToPublish(): void {
      world.emulator.control.failNext({ code: 'approval_required', match: { path: '/qr/*/publish' } });
    }
    const named = (name: string) => row(`${name} ${Date.now()}`);
    const codesNamed = async (name: string) => {
      const { data } = await world.engine.runWorkflow(action({ operation: 'getAll', returnAll: true }));
      return data[NODE]!.map(
        ({ json }) => json as { id: string; name: string; status: string; publicUrl: string },
      ).filter((code) => code.name === name);
    };

    test('names the unpublished code in the error, and a retry publishes it without a duplicate', async () => {
      const door = named('Door');
      const workflow = action(CREATE_LIVE, [door]);
      refuseToPublish();
      const failed = await world.engine.runWorkflow(workflow);
      const [code] = await codesNamed(door.name);
      expect(failed.error).toMatchObject({
        name: 'NodeApiError',
        httpCode: '422',
        message: `The QR code ${code!.id} was created but not published: An approval is required first`,
        description: `The code exists as a draft: "${door.name}" (ID ${code!.id}, ${code!.publicUrl}). Get it approved in the app, then publish it with the Publish operation. Don't run Create again. Retrying this execution within 24 hours is safe: it won't create a duplicate.`,
        context: { itemIndex: 0, qrCode: { id: code!.id, name: door.name } },
      });
      expect((await world.engine.retryRun(workflow, failed)).status).toBe('success');
      expect(await codesNamed(door.name)).toMatchObject([{ id: code!.id, status: 'published' }]);
    });

    test('says that the code of a Deduplication Key was deleted, if the service no longer finds it', async () => {
      const workflow = action({ ...CREATE_LIVE, options: { deduplicationKey: 'menu-7' } }, [
        named('Deleted'),
      ]);
      const { data } = await world.engine.runWorkflow(workflow);
      const id = data[NODE]![0]!.json['id'] as string;
      world.emulator.control.delete(id);
      expect((await world.engine.runWorkflow(workflow)).error).toMatchObject({
        message: "The QR code of this Deduplication Key was deleted, or isn't visible yet",
        description: expect.stringMatching(
          / use another Deduplication Key: nothing was created\. .* operation\.$/,
        ),
      });
    });

    test('includes the fields of the unpublished code in the item of the error output', async () => {
      const door = named('Front');
      refuseToPublish();
      const settings = { onError: 'continueErrorOutput' } as const;
      const { outputs } = await world.engine.runWorkflow(action(CREATE_LIVE, [door], settings));
      const [code] = await codesNamed(door.name);
      const description = expect.stringMatching(/Don't run Create again\.$/) as string;
      const json = {
        error: expect.stringContaining(`${code!.id} was created but not published`),
        details: { code: 'approval_required', httpCode: '422', qrCode: code, description },
      };
      expect(outputs[NODE]).toMatchObject([[], [{ json }]]);
    });
  });

  test('the log of a stopped run names a code whose image is missing', async () => {
    const cancel = new AbortController();
    const { url } = await serve((request, response) => {
      if (request.url!.includes('/image')) cancel.abort();
      else response.end(JSON.stringify(CODE));
    });
    const engine = await world.engineWith({ baseUrl: url });
    const workflow = action({ ...CREATE, options: { downloadImages: ['pdf'] } }, [row('Door')]);
    await engine.runWorkflow(workflow, { signal: cancel.signal });
    const named = `An execution was stopped. The QR code ${CODE.id} was created, but its image could not be downloaded: `;
    expect(world.warnings).toContainEqual(expect.stringContaining(named));
  });

  describe('an error of the service', () => {
    // The core tests the texts of all errors.
    const QUOTA = serviceError('quota_exceeded', 'Your plan has 100 codes.', { limit: 100 });
    const told = async (parameters: Parameters<typeof action>[0], onError?: 'continueRegularOutput') => {
      const service = await serve(respondWith(QUOTA));
      const engine = await world.engineWith({ baseUrl: service.url });
      return engine.runWorkflow(action(parameters, [row('Door')], { ...(onError && { onError }) }));
    };
    const RETARGET = { operation: 'retarget', qrCodeId: ONE, url: 'https://example.com/' };

    test('becomes a title and a description, with the rest in the details', async () => {
      const message = 'The workspace has reached its quota';
      const description =
        'Your plan has 100 codes. Details: limit: 100. Free up quota or increase it in the app, then run the node again.';
      const raw = { code: 'quota_exceeded', requestId: REQUEST_ID, details: { limit: 100 } };
      // What n8n shows above and below "Error details".
      expect((await told(RETARGET)).error).toMatchObject({
        message,
        description,
        messages: ['Your plan has 100 codes.'],
        context: { itemIndex: 0, data: raw },
        failure: { cause: 'quota-exhausted' },
      });
      const { data } = await told(RETARGET, 'continueRegularOutput');
      expect(data[NODE]![0]!.json).toEqual({
        error: message,
        details: { description, httpCode: '403', ...raw },
      });
    });

    test('advises to retry a creation only in the way that n8n offers', async () => {
      expect((await told(CREATE)).error!.description).toMatch(/then retry this execution\.$/);
      const { data } = await told(CREATE, 'continueRegularOutput');
      expect(data[NODE]![0]!.json).toMatchObject({
        details: {
          description: expect.stringMatching(/then retry this item, unless its code already exists\.$/),
        },
      });
    });
  });

  test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
    'an execution (%s) contains no secret that the service echoes',
    async (onError) => {
      const apiKey = 'key_"hunter2"';
      const body = {
        code: 'validation_failed',
        message: `The key ${apiKey} is odd`,
        requestId: apiKey,
        details: {
          fields: { url: `${apiKey} is odd` },
          [apiKey]: [apiKey],
          signingSecret: 'whsec_hunter2',
        },
      };
      const service = await serve(respondWith({ status: 422, body }));
      const engine = await world.engineWith({ baseUrl: service.url, apiKey });
      const retarget = { operation: 'retarget', qrCodeId: ONE, url: 'mailto:nope' };
      const ran = await engine.runWorkflow(action(retarget, [{}], { onError }));
      expect(inspect(ran, { depth: null, showHidden: true })).not.toContain('hunter2');
      expect(JSON.stringify(ran)).not.toContain('hunter2');
    },
  );
});

describe('hints', () => {
  /** The hints that n8n shows in the node's output after a run. */
  async function hintsOf(
    rows: IDataObject[],
    settings: Partial<INode>,
    parameters: INodeParameters = CREATE,
  ): Promise<NodeExecutionHint[]> {
    const { run } = await world.engine.runWorkflow(action(parameters, rows, settings));
    return run.data.resultData.runData[NODE]!.flatMap(({ hints = [] }) => hints);
  }

  const valid = { name: 'Table 4', targetUrl: 'https://example.com/' };
  const invalid = { ...valid, targetUrl: 'nope' };
  const rows = [valid, invalid, valid, invalid, valid];

  test.each([
    ['continueErrorOutput', rows, '3 created. 2 of 5 items failed. See the error output.'],
    ['continueRegularOutput', rows, '3 created. 2 of 5 items failed. See the error field.'],
    ['continueRegularOutput', [invalid], 'The item failed. See the error field.'],
  ] as const)('sums up a run in one hint with On Error set to %s', async (onError, items, message) => {
    expect(await hintsOf([...items], { onError })).toEqual([
      { message, type: 'warning', location: 'outputPane' },
    ]);
  });

  test('names a draft whose image Create has downloaded', async () => {
    const [hint] = await hintsOf([valid], {}, { ...CREATE, options: { downloadImages: ['svg'] } });
    expect(hint?.message).toMatch(/^Not published, so the short links don't work: Table 4 \(draft, /);
  });

  test('counts the outcomes of an upsert', async () => {
    const parameters = { ...CREATE, operation: 'upsert', matchBy: 'name' };
    const table = (name: string, path = '') => ({ name, targetUrl: `https://example.com/${path}` });
    await hintsOf([table('Upsert 1'), table('Upsert 2')], {}, parameters);
    const again = [table('Upsert 1'), table('Upsert 2', 'new'), table('Upsert 3'), table('Upsert 3')];
    expect(await hintsOf(again, {}, parameters)).toEqual([
      { message: '1 created, 1 updated, 2 unchanged.', type: 'info', location: 'outputPane' },
    ]);
  });

  test('names the existing statuses only if no code has the status of the filter', async () => {
    await hintsOf([valid], {}, { ...CREATE, publish: true });
    const hintsFor = (status: string) => hintsOf([{}], {}, { operation: 'getAll', filters: { status } });
    expect(await hintsFor('live')).toMatchObject([
      { message: expect.stringMatching(/^No QR code has the status "live"\. Found: .*published/) },
    ]);
    expect(await hintsFor('published')).toEqual([]);
  });

  test('has no hint for a single item, or if the first failed item stops the run', async () => {
    expect(await hintsOf([valid], { onError: 'continueErrorOutput' })).toEqual([]);
    expect(await hintsOf(rows, {})).toEqual([]);
  });

  describe('Download Image', () => {
    const ID = codeBy('id', '={{ $json.id }}');
    type Code = IDataObject & { id: string; publicUrl: string };
    const codes: Record<string, Code> = {};
    beforeAll(async () => {
      for (const status of ['published', 'draft', 'archived']) {
        const parameters = { ...CREATE, publish: status !== 'draft' };
        const { data } = await world.engine.runWorkflow(action(parameters, [{ ...valid, name: status }]));
        codes[status] = data[NODE]![0]!.json as Code;
      }
      world.emulator.control.archive(codes['archived']!.id);
    });

    async function download(rows: IDataObject[], qrCodeId: object, engine = world.engine) {
      const before = world.emulator.control.requestCount();
      const render = { operation: 'render', format: 'svg', options: { fileName: 'code' } };
      const parameters = { ...render, qrCodeId } as INodeParameters;
      const { run } = await engine.runWorkflow(action(parameters, rows));
      const [{ hints = [], data }] = run.data.resultData.runData[NODE] as [ITaskData];
      const images = data!['main']![0]!.length;
      const reads = world.emulator.control.requestCount() - before - images;
      return { reads, images, hints: hints.map(({ type, message }) => `${type}: ${message}`) };
    }

    test.each<
      [string, string, (code: Code) => [row: IDataObject, qrCodeId: object], reads: number, told: boolean]
    >([
      ['draft', "by a row's ID", ({ id }) => [{ id }, ID], 1, true],
      ['draft', 'chosen from the list', ({ id }) => [{ status: 'published' }, codeBy('list', id)], 1, true],
      ['archived', 'by the code itself', (code) => [{ ...code, status: 'archived' }, ID], 1, true],
      [
        'archived',
        'and a row that says published',
        (code) => [{ ...code, status: 'published' }, ID],
        1,
        true,
      ],
      ['published', 'and a row of another', ({ id }) => [codes['draft']!, codeBy('id', id)], 1, false],
    ])(
      'of a code that is %s, %s, warns if its short link does not work',
      async (status, _how, input, reads, told) => {
        const code = codes[status]!;
        const [row, qrCodeId] = input(code);
        const name = `${status} (${status}, ${code['slug'] as string})`;
        const message = `Not published, so the short links don't work: ${name}.`;
        expect(await download([row], qrCodeId)).toEqual({
          reads,
          images: 1,
          hints: told ? [`warning: ${message}`] : [],
        });
      },
    );

    test('says nothing about codes that the key may not read', async () => {
      const { apiKey } = world.emulator.control.createKey({ scopes: ['exports:read'] });
      const engine = await world.engineWith({ apiKey });
      const { id } = codes['draft']!;
      const rows = Array.from({ length: 12 }, (_, nth) => (nth === 1 ? { id, status: 'ready' } : { id }));
      expect(await download(rows, ID, engine)).toEqual({
        reads: 1,
        images: 12,
        hints: ['info: 12 downloaded.'],
      });
    });

    test('reads each code once, and many from the list', async () => {
      const few = Array.from({ length: 6 }, (_, nth) => ({ id: Object.values(codes)[nth % 3]!.id }));
      const { reads, hints } = await download(few, ID);
      expect(reads).toBe(3);
      expect(hints).toEqual([
        expect.stringMatching(
          /^warning: 6 downloaded\. Not published, so the short links don't work: draft \(draft, .*, archived \(archived, .*\)\.$/,
        ),
      ]);
      const rows = Array.from({ length: 20 }, (_, nth) => ({ ...valid, name: `Many ${nth}` }));
      const { data } = await world.engine.runWorkflow(action(CREATE, rows));
      const many = data[NODE]!.map(({ json }) => ({ id: json['id'] as string }));
      const drafts = await download(many, ID);
      expect(drafts.reads).toBeLessThan(5);
      expect(drafts.hints).toEqual([expect.stringMatching(/ Not published, .* and 17 more\.$/)]);
      const publish = { operation: 'publish', qrCodeId: ID };
      expect(await hintsOf(many, {}, publish)).toMatchObject([{ message: '20 published.' }]);
      const retarget = { operation: 'retarget', qrCodeId: ID, url: valid.targetUrl };
      expect(await hintsOf(many, {}, retarget)).toMatchObject([{ message: '20 updated.' }]);
    });
  });
});

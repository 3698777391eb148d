import { closeServices, serve, type RequestHandler } from '../support/faultyService/faultyService.ts';
import {
  BOMBS,
  DEEP_LIST,
  echo,
  emptyPages,
  HUGE_ERRORS,
  HUGE_IMAGES,
  HUGE_LISTS,
  ODD_CODE,
  PLAIN_CODE,
  SLOW_RESPONSES,
  type Flood,
} from '../support/faultyService/hostileResponses.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime, type VirtualTime } from '../support/jest/virtualTime.ts';
import type { RunResult } from '../../engines/n8n/index.ts';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, NODE } from './support/workflows.ts';

const KEY = 'qrs_the_key_of_these_tests';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
// Without waits between attempts.
beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});

const LIST = { operation: 'getAll', returnAll: true };
const RENDER = { operation: 'render', qrCodeId: codeBy('id', 'qr_1') };
const GET = { operation: 'get', qrCodeId: codeBy('id', 'qr_1') };

async function engineAt(handler: RequestHandler) {
  const { url, requests } = await serve(handler);
  return { engine: await world.engineWith({ baseUrl: url, apiKey: KEY }), requests };
}

async function run(parameters: Parameters<typeof action>[0], handler: RequestHandler): Promise<RunResult> {
  return (await engineAt(handler)).engine.runWorkflow(action(parameters));
}

/** Message of n8n's credential test. */
async function testAt(handler: RequestHandler) {
  return (await engineAt(handler)).engine.testCredential('qrServiceApi');
}

async function expectCut({ whenClosed, bytesSent }: Flood, maxBytes: number): Promise<void> {
  await whenClosed();
  expect(bytesSent()).toBeLessThan(maxBytes);
}

const TOO_LARGE = {
  message: expect.stringMatching(/larger than \d+ MB/),
  description: expect.stringContaining('Request fewer rows per page or a smaller image'),
};

test.each([...HUGE_LISTS, ...BOMBS])(
  'fails on %s and closes the connection',
  async (_what, start, maxBytes) => {
    const list = start();
    expect((await run(LIST, list.handler)).error).toMatchObject(TOO_LARGE);
    await expectCut(list, maxBytes);
  },
);

test.each(HUGE_IMAGES)('fails on %s and closes the connection', async (_what, start, maxBytes) => {
  const image = start();
  expect((await run(RENDER, image.handler)).error).toMatchObject(TOO_LARGE);
  await expectCut(image, maxBytes);
});

test.each(HUGE_ERRORS)(
  'reports the status of %s and closes the connection',
  async (_what, start, maxBytes) => {
    for (const parameters of [GET, RENDER]) {
      const failure = start();
      const { error } = await run(parameters, failure.handler);
      expect(error).toMatchObject({ httpCode: '404', message: 'No QR code with ID qr_1 was found' });
      await expectCut(failure, maxBytes);
    }
  },
);

test.each([...HUGE_LISTS, ...BOMBS])(
  'the credential test fails on %s and closes the connection',
  async (_what, start, maxBytes) => {
    const flood = start();
    expect(await testAt(flood.handler)).toMatchObject({
      status: 'Error',
      message: expect.stringContaining('larger than 16 MB'),
    });
    await expectCut(flood, maxBytes);
  },
);

test('the credential test truncates a workspace name of a megabyte', async () => {
  const account = JSON.stringify({ workspace: { name: 'W'.repeat(1e6) }, scopes: [] });
  const { status, message } = await testAt((_request, response) => response.end(account));
  expect(status).toBe('OK');
  expect(message.length).toBeLessThan(2100);
});

describe('timeouts', () => {
  let time: VirtualTime;
  beforeEach(() => {
    time = startVirtualTime();
  });

  test.each(SLOW_RESPONSES)('ends an attempt after 30 seconds on %s', async (_what, handler) => {
    const { engine, requests } = await engineAt(endless(time, handler));
    const { error } = await engine.runWorkflow(action(GET));
    expect(error?.message).toMatch(/did not respond within 30 seconds/);
    // As many attempts as fit into a minute.
    expect(requests).toHaveLength(2);
  });

  test('ends the credential test after 15 seconds on a body that trickles', async () => {
    expect((await testAt(endless(time, SLOW_RESPONSES[0]![1]))).message).toMatch(
      /did not respond within 15 seconds/,
    );
  });

  test('ends the credential test after 15 seconds on headers that trickle', async () => {
    const slowHeaders = SLOW_RESPONSES.find(([what]) => what.startsWith('headers'))![1];
    expect((await testAt(endless(time, slowHeaders))).message).toMatch(/did not respond within 15 seconds/);
  });
});

test('cancelling the execution closes the connection of a response that trickles', async () => {
  const cancel = new AbortController();
  let close: () => void;
  const closed = new Promise<void>((resolve) => (close = resolve));
  const { engine } = await engineAt((request, response) => {
    request.socket.on('close', close);
    SLOW_RESPONSES[0]![1](request, response, '');
    setImmediate(() => cancel.abort());
  });
  const { status } = await engine.runWorkflow(action(GET), { signal: cancel.signal });
  expect(status).not.toBe('success');
  await closed;
});

test('fails on JSON that is nested too deeply', async () => {
  const { error } = await run(LIST, (_request, response) => response.end(DEEP_LIST));
  expect(error?.message).toContain('nested deeper than 100 levels');
});

test('returns plain items for property names such as __proto__ and changes no prototype', async () => {
  const { data, error } = await run(LIST, (_request, response) => response.end(`{"data":[${ODD_CODE}]}`));
  expect(error).toBeUndefined();
  const [item] = data[NODE]!;
  expect(Object.entries(item!.json)).toEqual(Object.entries(PLAIN_CODE));
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('stops after 1000 empty pages of an endless list', async () => {
  const { engine, requests } = await engineAt(emptyPages());
  const { error } = await engine.runWorkflow(action(LIST));
  expect(error?.message).toContain('1000 pages without a row');
  expect(requests.length).toBeLessThan(1100);
});

test('an error that echoes the request shows neither the key nor control characters', async () => {
  const result = await run(GET, echo);
  expect(result.error).toMatchObject({ httpCode: '422' });
  expect(result.error!.message.length).toBeLessThan(2000);
  expect(result.error!.message).not.toMatch(/\p{C}/u);
  expect(JSON.stringify(result)).not.toContain(KEY.slice(0, 12));
  const said = (await testAt(echo)).message;
  expect(said.length).toBeLessThan(2500);
  expect(said).not.toContain(KEY.slice(0, 12));
});

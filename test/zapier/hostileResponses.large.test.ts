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
import { startVirtualTime } from '../support/jest/virtualTime.ts';
import { failureOf, startWorld, type World } from './support/world.ts';

const KEY = 'qrs_the_key_of_these_tests';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});

async function engineAt(handler: RequestHandler) {
  const { url, requests } = await serve(handler);
  return { engine: await world.connect(KEY, url), requests };
}

const BY_NAME = { searchBy: 'name', value: 'Door' };
const listAt = async (handler: RequestHandler) =>
  (await engineAt(handler)).engine.search('find_qr_code', BY_NAME);
const pollAt = async (handler: RequestHandler) => (await engineAt(handler)).engine.poll('qr_changed');
const publishAt = async (handler: RequestHandler) =>
  (await engineAt(handler)).engine.create('publish_qr_code', { qrCodeId: 'qr_1' });

/** The file of a valid code, fetched when a step uses it. */
async function renderAt(handler: RequestHandler) {
  const { engine } = await engineAt((request, response, body) =>
    request.url!.includes('/image')
      ? handler(request, response, body)
      : response.end(JSON.stringify(PLAIN_CODE)),
  );
  const { file } = await engine.create('render_qr_code', { qrCodeId: 'qr_1' });
  return engine.hydrateFile(file);
}

async function expectCut({ whenClosed, bytesSent }: Flood, maxBytes: number): Promise<void> {
  await whenClosed();
  expect(bytesSent()).toBeLessThan(maxBytes);
}

const TOO_LARGE = {
  name: 'AppError',
  code: 'too_large',
  message: expect.stringMatching(/larger than \d+ MB.*Request fewer rows per page/),
};

test.each([...HUGE_LISTS, ...BOMBS])(
  'fails on %s and closes the connection',
  async (_what, start, maxBytes) => {
    const list = start();
    expect(await failureOf(listAt(list.handler))).toMatchObject(TOO_LARGE);
    await expectCut(list, maxBytes);
  },
);

test.each(HUGE_IMAGES)('fails on %s and closes the connection', async (_what, start, maxBytes) => {
  const image = start();
  expect(await failureOf(renderAt(image.handler))).toMatchObject(TOO_LARGE);
  await expectCut(image, maxBytes);
});

test.each(HUGE_ERRORS)(
  'reports the status of %s and closes the connection',
  async (_what, start, maxBytes) => {
    for (const ask of [publishAt, renderAt]) {
      const failure = start();
      expect(await failureOf(ask(failure.handler))).toMatchObject({ code: 'not_found', status: 404 });
      await expectCut(failure, maxBytes);
    }
  },
);

test('asks to check the app first when the response to a create is too large', async () => {
  const [, start] = HUGE_LISTS[0]!;
  const { engine } = await engineAt(start().handler);
  const input = { name: 'Door', targetUrl: 'https://example.com', publishNow: false };
  const failure = await failureOf(engine.create('create_qr_code', input));
  expect(failure).toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('look for it in the app'),
  });
});

test.each(SLOW_RESPONSES)('times out on %s', async (_what, handler) => {
  const time = startVirtualTime();
  const failure = await failureOf(publishAt(endless(time, handler)));
  expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('did not respond') });
});

test('fails on JSON that is nested too deeply', async () => {
  const failure = await failureOf(listAt((_request, response) => response.end(DEEP_LIST)));
  expect(failure).toMatchObject({ code: 'unreadable_response' });
});

test('returns plain rows for property names such as __proto__ and changes no prototype', async () => {
  const page: RequestHandler = (_request, response) => response.end(`{"data":[${ODD_CODE}]}`);
  const [found] = await listAt(page);
  const [changed] = await pollAt(page);
  const { id: _id, ...fields } = PLAIN_CODE;
  for (const row of [found, changed]) {
    expect(row).toMatchObject(fields);
    expect(Object.hasOwn(row!, '__proto__')).toBe(false);
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('stops an endless list of empty pages', async () => {
  const { engine, requests } = await engineAt(emptyPages());
  const failure = await failureOf(engine.search('find_qr_code', BY_NAME));
  expect(failure).toMatchObject({ code: 'endless_list' });
  expect(requests.length).toBeLessThan(1100);
});

test('an error that echoes the request shows neither the key nor control characters', async () => {
  const before = world.logs.length;
  const failure = await failureOf(publishAt(echo));
  expect(failure).toMatchObject({ status: 422 });
  expect(failure.message.length).toBeLessThan(2500);
  expect(failure.message).not.toMatch(/\p{C}/u);
  expect(JSON.stringify([failure, world.logs.slice(before)])).not.toContain(KEY.slice(0, 12));
});

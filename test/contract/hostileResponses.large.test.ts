import { inspect } from 'node:util';
import { isApiError, isTransportError, QrServiceClient, type ClientOptions } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
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
} from '../support/faultyService/hostileResponses.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';

const KEY = 'qrs_the_key_of_these_tests';

afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});

async function clientOf(handler: RequestHandler, options: Partial<ClientOptions> = {}) {
  const { url, requests } = await serve(handler);
  const sleep = () => Promise.resolve();
  const client = new QrServiceClient({
    baseUrl: url,
    apiKey: KEY,
    transport: undiciTransport(),
    sleep,
    ...options,
  });
  return { client, requests };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    (result) => expect(result).toBe('a failure'),
    (error: unknown) => error,
  );

const TOO_LARGE = {
  kind: 'too_large',
  code: 'too_large',
  message: expect.stringMatching(/larger than \d+ MB/),
};

test.each([...HUGE_LISTS, ...BOMBS])('fails on %s and closes the connection', async (...row) => {
  const [, start, maxBytes] = row;
  const list = start();
  const { client, requests } = await clientOf(list.handler);
  expect(await failureOf(client.qr.listPage())).toMatchObject(TOO_LARGE);
  await list.whenClosed();
  expect(list.bytesSent()).toBeLessThan(maxBytes);
  expect(requests).toHaveLength(1);
});

test.each(HUGE_IMAGES)('fails on %s and closes the connection', async (_what, start, maxBytes) => {
  const image = start();
  const { client } = await clientOf(image.handler);
  expect(await failureOf(client.qr.render('qr_1'))).toMatchObject(TOO_LARGE);
  await image.whenClosed();
  expect(image.bytesSent()).toBeLessThan(maxBytes);
});

test.each(HUGE_ERRORS)(
  'reports the status of %s and closes the connection',
  async (_what, start, maxBytes) => {
    const failure = start();
    const { client } = await clientOf(failure.handler);
    for (const call of [client.me(), client.qr.render('qr_1')]) {
      const error = await failureOf(call);
      expect(isApiError(error) && error.code).toBe('not_found');
    }
    await failure.whenClosed();
    expect(failure.bytesSent()).toBeLessThan(2 * maxBytes);
  },
);

test('rejects a response that is too large even if the transport has no limit', async () => {
  const transport = () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(17e6) });
  const client = new QrServiceClient({ baseUrl: 'https://qr.example', apiKey: KEY, transport });
  expect(await failureOf(client.me())).toMatchObject(TOO_LARGE);
});

test.each(SLOW_RESPONSES)('times out on %s', async (_what, handler) => {
  const time = startVirtualTime();
  const { client, requests } = await clientOf(endless(time, handler), { retry: { maxAttempts: 2 } });
  const error = await failureOf(client.me());
  expect(isTransportError(error) && error.kind).toBe('timeout');
  expect(requests).toHaveLength(2);
});

test('fails on JSON that is nested too deeply', async () => {
  const { client } = await clientOf((_request, response) => response.end(DEEP_LIST));
  expect(await failureOf(client.qr.listPage())).toMatchObject({
    code: 'unreadable_response',
    message: expect.stringContaining('nested deeper than 100 levels'),
  });
});

test('returns plain data for property names such as __proto__ and changes no prototype', async () => {
  const { client } = await clientOf((_request, response) => response.end(`{"data":[${ODD_CODE}]}`));
  const { rows } = await client.qr.listPage();
  expect(rows).toEqual([PLAIN_CODE]);
  expect(Object.hasOwn(rows[0]!, '__proto__')).toBe(false);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('stops an endless list of empty pages and returns the cursor to resume from', async () => {
  const { client, requests } = await clientOf(emptyPages());
  const walk = (async () => {
    for await (const _row of client.qr.list()) throw new Error('There is no row.');
  })();
  expect(await failureOf(walk)).toMatchObject({ code: 'endless_list', cursor: expect.any(String) });
  expect(requests.length).toBeLessThan(1100);
});

test('fails on a cursor too long for a URL', async () => {
  const page = JSON.stringify({ data: [], pagination: { nextCursor: 'c'.repeat(1e6) } });
  const { client } = await clientOf((_request, response) => response.end(page));
  expect(await failureOf(client.qr.listPage())).toMatchObject({ code: 'unreadable_response' });
});

test('an error that echoes the request shows neither the key nor control characters', async () => {
  for (const authHeader of ['authorization', 'api-key'] as const) {
    const { client } = await clientOf(echo, { authHeader });
    const error = (await failureOf(client.me())) as Error;
    const shown = inspect(error, { depth: 20, showHidden: true });
    expect(shown).not.toContain(KEY.slice(0, 12));
    expect(JSON.stringify(error).length + shown.length).toBeLessThan(30_000);
    expect(error.message.length).toBeLessThan(2100);
    expect(error.message).not.toMatch(/\p{C}/u);
    expect(error).toMatchObject({ status: 422, code: 'http_422' });
  }
});

test('does not show a Content-Type that echoes the key', async () => {
  const { client } = await clientOf(({ headers }, response) =>
    response.writeHead(200, { 'Content-Type': headers.authorization ?? '' }).end('no image'),
  );
  const error = await failureOf(client.qr.render('qr_1'));
  expect((error as Error).message).toContain('Expected a PNG, SVG or PDF, but got no content type (8 bytes)');
});

test('fails on endless headers', async () => {
  const { client } = await clientOf((_request, { socket }) =>
    socket?.write(`HTTP/1.1 200 OK\r\n${'X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1e4)}`),
  );
  const error = await failureOf(client.me());
  expect(isTransportError(error) && error.kind).toBe('network');
});

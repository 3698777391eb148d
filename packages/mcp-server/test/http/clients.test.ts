import { until } from '../../../../test/support/jest/until.ts';
import { HTTP_LIMITS, type HttpLimits } from '../../src/transports/http/limits.ts';
import { startHttp, type HttpServer } from '../../src/transports/http.ts';
import { callText, connectClient, ERAS, type ConnectedClient, type Era } from '../support/httpClients.ts';
import { MESSAGES, RAW_TOKEN } from '../support/rawRequest.ts';
import { toyServers, type ToyServers } from '../support/toyServer.ts';

const eras = Object.keys(ERAS) as Era[];

let toys: ToyServers;
let server: HttpServer;
let logged: string[];
let now: number;
let clients: ConnectedClient[];

beforeEach(() => {
  clients = [];
});

afterEach(async () => {
  for (const { client } of clients) await client.close();
  await server.close();
});

async function start(limits: Partial<HttpLimits> = {}, ready?: Promise<void>): Promise<void> {
  toys = toyServers(ready);
  logged = [];
  now = 1_000_000;
  const log = (line: string) => void logged.push(line);
  server = await startHttp(toys.createServer, { port: 0, token: RAW_TOKEN, log, now: () => now, limits });
}

async function connect(era: Era, name?: string): Promise<ConnectedClient> {
  const connected = await connectClient(server.url, RAW_TOKEN, era, name);
  clients.push(connected);
  return connected;
}

describe.each(eras)('a client of %s', (era) => {
  it('lists and calls tools', async () => {
    await start();
    const { client } = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['session', 'headers', 'echo', 'repeat', 'count', 'wait']);
    expect(await callText(client, 'echo', { text: 'Grüße 🎉' })).toBe('Grüße 🎉');
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect(logged).toEqual([]);
  });

  it("doesn't pass the token on to tools", async () => {
    await start();
    const { client } = await connect(era);
    const headers = (await callText(client, 'headers')).split(',');
    expect(headers).toContain('mcp-protocol-version');
    expect(headers).not.toContain('authorization');
  });

  it('is told when a request is too large', async () => {
    await start();
    const { client } = await connect(era);
    const call = client.callTool({ name: 'echo', arguments: { text: 'x'.repeat(10_000_000) } });
    await expect(call).rejects.toThrow('larger than 1048576 bytes');
    expect(await callText(client, 'echo', { text: 'alive' })).toBe('alive');
  });

  it('receives progress before the result', async () => {
    await start();
    const { client } = await connect(era);
    const seen: number[] = [];
    await client.callTool({ name: 'count' }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  it('receives a result larger than any buffer', async () => {
    await start();
    const { client } = await connect(era);
    const text = await callText(client, 'repeat', { times: 5_000_000 });
    expect(text).toHaveLength(5_000_000);
  });

  it('cancels a call, which ends its signal', async () => {
    await start();
    const { client } = await connect(era);
    const abort = new AbortController();
    const call = client.callTool({ name: 'wait' }, { signal: abort.signal });
    await until(() => toys.waiting.length === 1);
    abort.abort();
    await expect(call).rejects.toThrow();
    await until(() => toys.waiting[0]!.signal.aborted);
    expect(await callText(client, 'echo', { text: 'still here' })).toBe('still here');
  });

  it("doesn't see another client's calls, even with the same request IDs", async () => {
    await start();
    const [first, second] = [await connect(era, 'first'), await connect(era, 'second')];
    const slow = callText(first.client, 'wait');
    await until(() => toys.waiting.length === 1);
    const sessions = await Promise.all([first, second].map(({ client }) => callText(client, 'session')));
    expect(new Set(sessions).size).toBe(2);
    expect(toys.waiting[0]!.session).toBe(sessions[0]);
    const echoes = Array.from({ length: 20 }, (_, at) => [`a${at}`, `b${at}`]);
    const received = await Promise.all(
      echoes.map(([a, b]) =>
        Promise.all([
          callText(first.client, 'echo', { text: a }),
          callText(second.client, 'echo', { text: b }),
        ]),
      ),
    );
    expect(received).toEqual(echoes);
    toys.waiting[0]!.release();
    expect(await slow).toBe('released');
  });

  it('gets 503 with Retry-After while too many requests are in progress, and can still cancel one', async () => {
    await start({ requests: 2 });
    const { client } = await connect(era);
    const abort = new AbortController();
    const calls = [
      client.callTool({ name: 'wait' }, { signal: abort.signal }),
      client.callTool({ name: 'wait' }),
    ];
    void Promise.allSettled(calls);
    await until(() => toys.waiting.length === 2);
    await expect(client.callTool({ name: 'session' })).rejects.toThrow('2 requests are in progress');
    abort.abort();
    await until(() => toys.waiting[0]!.signal.aborted);
    toys.waiting[1]!.release();
    await Promise.allSettled(calls);
    expect(await callText(client, 'echo', { text: 'free' })).toBe('free');
  });

  it('is told when a session fails to start, and can try again', async () => {
    await start({}, Promise.reject(new Error('no account')));
    await expect(connect(era)).rejects.toThrow(/The server can't start a session|HTTP 500/);
    expect(logged).toEqual(["can't start a session: Error: no account"]);
    toys.recover();
    expect(await callText((await connect(era)).client, 'echo', { text: 'again' })).toBe('again');
  });

  it('works through every local name', async () => {
    await start();
    for (const host of ['localhost', '[::1]']) {
      const { client } = await connectClient(server.url.replace('127.0.0.1', host), RAW_TOKEN, era);
      expect(await callText(client, 'echo', { text: host })).toBe(host);
      await client.close();
    }
  });

  it('is refused without the right token', async () => {
    await start();
    await expect(connectClient(server.url, 'another-token-than-that', era)).rejects.toThrow(
      /this server's token|HTTP 401/,
    );
    expect(toys.created).toEqual([]);
  });
});

describe('a client of 2026-07-28', () => {
  it('cancels its calls by disconnecting', async () => {
    await start();
    const { client } = await connect('2026-07-28');
    const calls = [client.callTool({ name: 'wait' }), client.callTool({ name: 'wait' })];
    void Promise.allSettled(calls);
    await until(() => toys.waiting.length === 2);
    await client.close();
    await until(() => toys.waiting.every(({ signal }) => signal.aborted));
    await until(() => toys.open() === 0);
  });

  it('can open a limited number of streams, which end when it closes them', async () => {
    await start({ subscriptions: 2, requests: 1 });
    const abort = new AbortController();
    for (let at = 0; at < 2; at++)
      expect(await firstOf(await listen(abort.signal))).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
      });
    expect(await (await listen()).json()).toMatchObject({
      error: { message: 'Subscription limit reached' },
    });
    const { client } = await connect('2026-07-28');
    expect(await callText(client, 'echo', { text: 'here' })).toBe('here');
    abort.abort();
    const again = await retryUntil(isStream, () => listen());
    await again.body!.cancel();
  });

  it('is recognized by its name', async () => {
    await start();
    const sessionOf = async (name: string) => callText((await connect('2026-07-28', name)).client, 'session');
    const ids = [await sessionOf('first'), await sessionOf('second'), await sessionOf('first')];
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('sessions of a client before 2026-07-28', () => {
  const legacy = '2025-11-25';

  it('end with DELETE, which cancels their calls', async () => {
    await start();
    const { client, transport } = await connect(legacy);
    const call = client.callTool({ name: 'wait' }).catch(() => 'ended');
    await until(() => toys.waiting.length === 1);
    const sessionId = transport.sessionId!;
    await transport.terminateSession();
    await until(() => toys.waiting[0]!.signal.aborted);
    expect(toys.open()).toBe(0);
    expect((await post({ sessionId })).status).toBe(404);
    await client.close();
    await call;
  });

  it('expire when idle, then the client is told to start again', async () => {
    await start();
    const { client, transport } = await connect(legacy);
    const sessionId = transport.sessionId!;
    await client.close();
    now += HTTP_LIMITS.sessionIdleMs - 1;
    expect((await post({ sessionId })).status).toBe(200);
    now += HTTP_LIMITS.sessionIdleMs;
    const response = await post({ sessionId });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: -32_001, message: expect.stringContaining('Send initialize') as string },
    });
    await until(() => toys.open() === 0);
  });

  it("don't expire while their stream is open", async () => {
    await start();
    const sessionId = await openSession();
    const stream = await get(sessionId);
    now += 10 * HTTP_LIMITS.sessionIdleMs;
    expect((await post({ sessionId })).status).toBe(200);
    await stream.body!.cancel();
  });

  it('make room for new ones, the one idle longest first', async () => {
    await start({ sessions: 3 });
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push(await openSession());
    await post({ sessionId: ids[0]! });
    ids.push(await openSession());
    const statuses = await Promise.all(ids.map(async (sessionId) => (await post({ sessionId })).status));
    expect(statuses).toEqual([200, 404, 200, 200]);
    expect(toys.open()).toBe(3);
  });

  it('are refused with 503 and Retry-After while all are in use', async () => {
    await start({ sessions: 2 });
    const streams = [await get(await openSession()), await get(await openSession())];
    const refused = await post({ body: MESSAGES.initialize });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await streams[0]!.body!.cancel();
    await retryUntil(isStatus(200), () => post({ body: MESSAGES.initialize }));
    expect(toys.open()).toBe(2);
    await streams[1]!.body!.cancel();
  });

  it('stay within the limit when many start at the same moment', async () => {
    let open = () => {};
    await start({ sessions: 4 }, new Promise<void>((resolve) => (open = resolve)));
    const responses = Array.from({ length: 10 }, () => post({ body: MESSAGES.initialize }));
    const refused: number[] = [];
    for (const response of responses) void response.then(({ status }) => refused.push(status));
    await until(() => refused.length === 6);
    expect(refused).toEqual(Array(6).fill(503));
    open();
    await Promise.all(responses);
    expect(toys.created).toHaveLength(4);
  });

  it('have one stream each, which can be opened again at once after it broke', async () => {
    await start();
    const sessionId = await openSession();
    const abort = new AbortController();
    expect((await get(sessionId, abort.signal)).status).toBe(200);
    expect((await get(sessionId)).status).toBe(409);
    abort.abort();
    const again = await retryUntil(isStatus(200), () => get(sessionId));
    await again.body!.cancel();
  });

  it('let a call finish whose client disconnected', async () => {
    await start();
    const sessionId = await openSession();
    const abort = new AbortController();
    const call = post({
      sessionId,
      body: { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'wait', arguments: {} } },
      signal: abort.signal,
    }).then((response) => response.text());
    call.catch(() => undefined);
    await until(() => toys.waiting.length === 1);
    abort.abort();
    await expect(call).rejects.toThrow();
    expect((await post({ sessionId })).status).toBe(200);
    expect(toys.waiting[0]!.signal.aborted).toBe(false);
    toys.waiting[0]!.release();
  });
});

interface Post {
  sessionId?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function post({ sessionId, body = MESSAGES.ping, headers = {}, signal }: Post): Promise<Response> {
  return fetch(server.url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      Authorization: `Bearer ${RAW_TOKEN}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...(sessionId === undefined ? {} : { 'Mcp-Session-Id': sessionId }),
      ...headers,
    },
    ...(signal === undefined ? {} : { signal }),
  });
}

function get(sessionId: string, signal?: AbortSignal): Promise<Response> {
  return fetch(server.url, {
    headers: {
      Authorization: `Bearer ${RAW_TOKEN}`,
      Accept: 'text/event-stream',
      'Mcp-Session-Id': sessionId,
    },
    ...(signal === undefined ? {} : { signal }),
  });
}

async function openSession(): Promise<string> {
  const response = await post({ body: MESSAGES.initialize });
  await response.text();
  return response.headers.get('mcp-session-id')!;
}

function listen(signal?: AbortSignal): Promise<Response> {
  const body = MESSAGES.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  return post({
    body,
    headers: { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The first message of a stream. */
async function firstOf(response: Response): Promise<unknown> {
  const { value } = await response.body!.getReader().read();
  return JSON.parse(/^data: (.*)$/m.exec(new TextDecoder().decode(value))![1]!) as unknown;
}

const isStream = ({ headers }: Response) => headers.get('content-type') === 'text/event-stream';
const isStatus =
  (expected: number) =>
  ({ status }: Response) =>
    status === expected;

/** Repeats a request whose success only needs the server to notice a disconnect. */
async function retryUntil(
  isWanted: (response: Response) => boolean,
  request: () => Promise<Response>,
): Promise<Response> {
  for (let tries = 0; tries < 1000; tries++) {
    const response = await request();
    if (isWanted(response)) return response;
    await response.text();
  }
  throw new Error('No response was the wanted one.');
}

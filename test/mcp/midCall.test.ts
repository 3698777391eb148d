import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { until } from '../support/jest/until.ts';
import { TOOLS } from '../../packages/mcp-server/src/tools/index.ts';
import { closeWorlds, startServer, startWorld, type World } from './support/world.ts';

const SEED = {
  codes: [
    { id: 'qr_1', name: 'Door', slug: 'door', targetUrl: 'https://example.com', status: 'draft' as const },
  ],
};
/** Longer than any test. */
const NEVER_MS = 24 * 60 * 60 * 1000;

const code = 'qr_1';
const SHORT_LINK = { code: 'https://qr.example/r/door' };

/** Each tool with its arguments and the requests that they need, of which the last is the slow one. */
const CALLS: Record<string, readonly (readonly [args: Record<string, unknown>, ...requests: string[]])[]> = {
  create_qr_codes: [
    [{ rows: [{ name: 'A', targetUrl: 'https://example.com/a' }] }, 'POST /qr'],
    [{ rows: [{ name: 'B', targetUrl: 'https://example.com/b' }] }, 'POST /qr', 'POST /qr/*/publish'],
    [
      { rows: [{ name: 'E', targetUrl: 'https://example.com/e' }], images: 'svg' },
      ...['POST /qr', 'POST /qr/*/publish', 'GET /qr/*/image'],
    ],
  ],
  find_qr_codes: [
    [{}, 'GET /qr'],
    [{ code }, 'GET /qr/*'],
  ],
  get_qr_code: [
    [{ code }, 'GET /qr/*'],
    [SHORT_LINK, 'GET /qr'],
  ],
  publish_qr_code: [
    [{ code }, 'GET /qr/*'],
    [{ code }, 'GET /qr/*', 'POST /qr/*/publish'],
    [SHORT_LINK, 'GET /qr'],
  ],
  retarget_qr_code: [
    [{ code, url: 'https://example.org/a' }, 'GET /qr/*'],
    [{ code, url: 'https://example.org/b' }, 'GET /qr/*', 'POST /qr/*/destination'],
    [{ ...SHORT_LINK, url: 'https://example.org/c' }, 'GET /qr'],
  ],
  upsert_qr_codes: [
    [{ rows: [{ name: 'C', targetUrl: 'https://example.com/c' }] }, 'POST /qr'],
    [{ rows: [{ name: 'D', targetUrl: 'https://example.com/d' }] }, 'POST /qr', 'POST /qr/*/publish'],
    [{ rows: [{ ...SHORT_LINK, targetUrl: 'https://example.org/d' }] }, 'GET /qr'],
    [{ rows: [{ code, targetUrl: 'https://example.org/e' }] }, 'GET /qr/*', 'POST /qr/*/destination'],
  ],
  render_qr_codes: [
    [{ codes: [code] }, 'GET /qr/*'],
    [{ codes: [code] }, 'GET /qr/*', 'GET /qr/*/image'],
    [{ codes: [SHORT_LINK.code, SHORT_LINK.code] }, 'GET /qr'],
  ],
  list_scans: [
    [{}, 'GET /scans'],
    [SHORT_LINK, 'GET /qr'],
  ],
  whoami: [[{}, 'GET /me']],
};

/** A request that the emulator has received. Its own log shows only those that are over. */
interface Arrival {
  request: string;
  response: ServerResponse;
}

let arrivals: Arrival[] = [];
function onRequest(message: unknown): void {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const path = (request.url ?? '').replace(/^\/v1\/public-api|\?.*/g, '').replace(/^\/qr\/[^/]+/, '/qr/*');
  arrivals.push({ request: `${request.method} ${path}`, response });
}

let world: World;
/** Nothing may be written there. */
let folder: string;
beforeAll(async () => {
  subscribe('http.server.request.start', onRequest);
  folder = mkdtempSync(join(tmpdir(), 'mid-call-'));
  world = await startWorld({ seed: SEED }, { args: ['--out', folder] });
});
afterAll(async () => {
  unsubscribe('http.server.request.start', onRequest);
  await closeWorlds();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('the table has every tool', () => {
  expect(Object.keys(CALLS)).toEqual(TOOLS.map(({ name }) => name));
});

test('cancelling a call of any tool cuts its slow request, and no other follows', async () => {
  const { server, emulator } = world;
  const { control } = emulator;
  arrivals = [];
  const expected: string[] = [];
  for (const [tool, calls] of Object.entries(CALLS)) {
    for (const [args, ...requests] of calls) {
      const [method = '', path = ''] = requests.at(-1)!.split(' ');
      control.failNext({ delayMs: NEVER_MS, match: { method, path } });
      const cancel = new AbortController();
      const call = server.call(tool, args, { signal: cancel.signal });
      const ended = expect(call).rejects.toThrow();
      expected.push(...requests);
      await until(() => arrivals.length >= expected.length);
      const { response } = arrivals.at(-1)!;
      cancel.abort();
      await ended;
      // Says which tool it was.
      await until(() => response.closed).catch(() => undefined);
      const isCut = response.closed && !response.writableEnded;
      expect({ tool, requests, isCut }).toEqual({ tool, requests, isCut: true });
    }
  }
  // Retried twice: by then, a cancelled call would have been sent again.
  control.failNext({ status: 503, times: 2, match: { path: '/me' } });
  expect((await server.call('whoami')).isError).toBe(false);
  expect(arrivals.map(({ request }) => request)).toEqual([...expected, 'GET /me', 'GET /me', 'GET /me']);
});

test('a key that is revoked in a session is named by every tool, and the session continues', async () => {
  const { control } = world.emulator;
  control.reset();
  const { id, apiKey } = control.createKey();
  const server = await startServer({ ...world.emulator, apiKey });
  const whileActive = control.snapshot();
  control.revokeKey(id);
  for (const [tool, [[args] = [{}]]] of Object.entries(CALLS)) {
    const { isError, text } = await server.call(tool, args);
    expect({ tool, isError, text }).toEqual({
      tool,
      isError: true,
      text: expect.stringMatching(
        /The API key is missing, revoked or expired\..*then update the MCP server's configuration\. Try again: only after that\./s,
      ) as string,
    });
  }
  control.restore(whileActive);
  expect((await server.call('create_qr_codes', CALLS['create_qr_codes']![0]![0])).isError).toBe(false);
  expect(server.output()).not.toContain(apiKey);
});

import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SCOPES, type Scope } from '@qr-service/core';
import { OPERATION_SCOPES } from '@qr-service/core/connector';
import { startWorld, type World } from './support/world.ts';
import { action, NODE } from './support/workflows.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

async function testWith(credential: Record<string, string>) {
  const engine = await world.engineWith(credential);
  return engine.testCredential('qrServiceApi');
}

async function account(apiKey: string): Promise<Record<string, unknown>> {
  const engine = await world.engineWith({ apiKey });
  const { data } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
  return data[NODE]![0]!.json;
}

/** A key that lacks some scopes, which the service lists in another order. */
function keyWithout(...missing: Scope[]): string {
  const scopes = SCOPES.filter((scope) => !missing.includes(scope)).toReversed();
  return world.emulator.control.createKey({ scopes }).apiKey;
}

/** A server that isn't the service. */
async function withServer<T>(listener: RequestListener, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

test('the form asks for a key, a base URL and where codes may point, and explains each scope that the nodes use', () => {
  const { properties } = world.engine.loader.getCredential('qrServiceApi').type;
  expect(properties.map(({ displayName }) => displayName)).toEqual([
    'API Key',
    'Base URL',
    'Allowed Destinations',
  ]);
  const hint = properties[0]!.hint!;
  expect(hint).toMatch(/^Create a key in <a href="https:\/\/\S+" target="_blank">the app<\/a>\. Scopes: /);
  const named = [...hint.matchAll(/<code>([a-z:]+)<\/code> to [a-z]/g)].map(([, scope]) => scope);
  expect(named.sort()).toEqual([...new Set(Object.values(OPERATION_SCOPES))].filter(Boolean).sort());
});

test('a test and a run send the key once, as a bearer token', async () => {
  const sent: IncomingHttpHeaders[] = [];
  const note: RequestListener = ({ headers }, response) => {
    sent.push(headers);
    response.setHeader('Content-Type', 'application/json').end('{"workspace":{"id":"ws_1"}}');
  };
  await withServer(note, async (baseUrl) => {
    const engine = await world.engineWith({ baseUrl, apiKey: 'key_1' });
    expect((await engine.testCredential('qrServiceApi')).status).toBe('OK');
    await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
  });
  const keys = sent.map((headers) => Object.entries(headers).filter(([, text]) => text?.includes('key_1')));
  expect(keys).toEqual(Array(2).fill([['authorization', 'Bearer key_1']]));
});

test('confirms a connection, with the API path in the base URL too', async () => {
  const { status } = await testWith({ baseUrl: `${world.emulator.url}/v1/public-api/` });
  expect(status).toBe('OK');
});

test('Account: Get returns the workspace, the scopes and what is unavailable without the missing ones', async () => {
  expect(await account(world.emulator.apiKey)).toMatchObject({ missingScopes: [], unavailable: [] });
  expect(await account(keyWithout('analytics:read', 'qr:write'))).toMatchObject({
    workspace: { id: world.emulator.workspace.id },
    scopes: expect.arrayContaining(['qr:read']),
    missingScopes: ['qr:write', 'analytics:read'],
    unavailable: ['create, publish and update QR codes', 'read scans'],
  });
});

describe('explains the problem and the fix for', () => {
  test.each([
    [
      'an invalid key',
      () => ({ apiKey: 'not-a-key' }),
      /^The API key is missing, revoked or expired\. .*Create a new API key in the app, then update the credential\. \(invalid_api_key, request \S+\)$/,
    ],
    ['an empty key', () => ({ apiKey: ' ' }), /^The API key is empty\. Create an API key in the app/],
    [
      'an invalid list of destinations',
      () => ({ allowedTargets: 'example.com\nmenu?' }),
      /^Entry 2 of Allowed Destinations isn't valid\. Use example\.com, /,
    ],
    [
      'a base URL where nothing listens',
      () => ({ baseUrl: 'http://127.0.0.1:9' }),
      /^127\.0\.0\.1:9 could not be reached \(ECONNREFUSED\)\. Check Base URL in the credential .*, then test the credential again\.$/,
    ],
  ])('%s', async (_what, credential, words) => {
    const { status, message } = await testWith(credential());
    expect(status).toBe('Error');
    expect(message).toMatch(words);
    expect(message).not.toContain('econnect');
  });

  test('a base URL that returns a web page', async () => {
    for (const code of [200, 404]) {
      const { status, message } = await withServer(
        (_request, response) =>
          response.writeHead(code, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>'),
        (baseUrl) => testWith({ baseUrl }),
      );
      expect(status).toBe('Error');
      expect(message).toMatch(
        code === 200
          ? /responded instead.*status 200, text\/html.*Check Base URL/
          : /^The response didn't come from the service\. .*Check Base URL in the credential\. .* \(status 404, text\/html\)$/,
      );
    }
  });

  test('a base URL that redirects, without following the redirect', async () => {
    const asked: string[] = [];
    const { message } = await withServer(
      (request, response) => {
        asked.push(request.url ?? '');
        response.writeHead(302, { Location: '/elsewhere' }).end();
      },
      (baseUrl) => testWith({ baseUrl }),
    );
    expect(asked).toEqual(['/v1/public-api/me']);
    expect(message).toContain('redirect');
  });
});

test('redacts the key when the service echoes it', async () => {
  const echo: RequestListener = (request, response) => {
    const body = { code: 'odd', message: `You sent ${request.headers.authorization ?? ''}` };
    response.writeHead(400).end(JSON.stringify(body));
  };
  const apiKey = 'key-that-nobody-may-see';
  const { status, message } = await withServer(echo, (baseUrl) => testWith({ baseUrl, apiKey }));
  expect(status).toBe('Error');
  expect(message).toContain('You sent');
  expect(message).not.toContain(apiKey);
});

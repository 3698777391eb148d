import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SCOPES, type Scope } from '@qr-service/core';
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

/** A key without some of the scopes. */
const keyWithout = (...missing: Scope[]) =>
  world.emulator.control.createKey({ scopes: SCOPES.filter((scope) => !missing.includes(scope)) }).apiKey;

/** A server of another kind, at a port of its own. */
async function withServer<T>(listener: RequestListener, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

test.each(['authorization', 'api-key'])(
  'with the key in %s it names the workspace and the scopes',
  async (authHeader) => {
    const credential = { authHeader, baseUrl: `${world.emulator.url}/v1/public-api/` };
    const { name } = world.emulator.workspace;
    expect(await testWith(credential)).toEqual({
      status: 'OK',
      message: `Connected to the workspace "${name}". Scopes held: ${SCOPES.join(', ')}.`,
    });
  },
);

test('it says what does not work without the scopes that are missing', async () => {
  const { status, message } = await testWith({ apiKey: keyWithout('exports:read', 'webhooks:write') });
  expect(status).toBe('OK');
  expect(message).toMatch(
    /Scopes held: qr:read, qr:write, .* Not possible without "exports:read": QR Code: Render\. Not possible without "webhooks:write": QR Service Trigger\.$/,
  );
});

test('scopes that nothing here needs are not missed', async () => {
  const { message } = await testWith({ apiKey: keyWithout('bulk:write', 'reviews:read') });
  expect(message).not.toContain('Not possible');
});

test('Account: Get gives the same facts, so that they can be read in the editor', async () => {
  expect(await account(world.emulator.apiKey)).toMatchObject({ missingScopes: [], unavailable: [] });
  expect(await account(keyWithout('analytics:read', 'qr:write'))).toMatchObject({
    workspace: { id: world.emulator.workspace.id },
    scopes: expect.arrayContaining(['qr:read']),
    missingScopes: ['qr:write', 'analytics:read'],
    unavailable: [
      'QR Code: Create',
      'QR Code: Publish',
      'QR Code: Retarget',
      'Scan: Get Many',
      'QR Service Polling Trigger: Scans',
    ],
  });
});

test('where the service tells no scopes, it says so and guesses nothing', async () => {
  const answer = { workspace: { id: 'ws_1', name: 'Bistro' } };
  await withServer(
    (_request, response) => response.end(JSON.stringify(answer)),
    async (baseUrl) => {
      expect(await testWith({ baseUrl })).toEqual({
        status: 'OK',
        message: 'Connected to the workspace "Bistro". The service does not tell which scopes the key has.',
      });
      const engine = await world.engineWith({ baseUrl });
      const { data } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
      expect(data[NODE]![0]!.json).toEqual(answer);
    },
  );
});

describe('what is wrong is said in the words of every other error', () => {
  test.each([
    [
      'a wrong key',
      () => ({ apiKey: 'not-a-key' }),
      /^The API key is missing, revoked or expired\. .*Make a new API key/,
    ],
    [
      'a key for other addresses',
      () => ({ apiKey: world.emulator.control.createKey({ allowedAddresses: ['203.0.113.0/24'] }).apiKey }),
      /allow-list does not contain.*Add the address to the key's allow-list/,
    ],
    ['no key', () => ({ apiKey: ' ' }), /^No API key was given\. Make one in the app/],
    ['no address', () => ({ baseUrl: 'the service' }), /^The base address is no URL\. It looks like https:/],
    ['an address in the clear', () => ({ baseUrl: 'http://api.example.com' }), /must begin with https:/],
    [
      'an address where nothing listens',
      () => ({ baseUrl: 'http://127.0.0.1:9' }),
      /^127\.0\.0\.1:9 could not be reached \(ECONNREFUSED\)\. Check the base address/,
    ],
  ])('%s', async (_what, credential, words) => {
    const { status, message } = await testWith(credential());
    expect(status).toBe('Error');
    expect(message).toMatch(words);
    expect(message).not.toContain('econnect');
  });

  test('an address that answers with a page', async () => {
    for (const code of [200, 404]) {
      const { status, message } = await withServer(
        (_request, response) =>
          response.writeHead(code, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>'),
        (baseUrl) => testWith({ baseUrl }),
      );
      expect(status).toBe('Error');
      expect(message).toMatch(
        code === 200
          ? /responded instead.*status 200, text\/html.*Check the base address/
          : /is not the API of the service \(status 404\)\. Check the base address/,
      );
    }
  });

  test('an address that redirects gets no key elsewhere', async () => {
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

test('neither answer holds the key', async () => {
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

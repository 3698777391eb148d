import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPERATION_SCOPES } from '@qr-service/core/connector';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { createN8nEngine, type N8nEngine } from '../../engines/n8n/index.ts';
import { PACKAGE_DIR } from './support/world.ts';
import { action, NODE } from './support/workflows.ts';

/** A credential's fields, as n8n stores, shows and reads them. */
let properties: INodeProperties[];
beforeAll(async () => {
  const { loader } = await engineWith({});
  ({ properties } = loader.getCredential('qrServiceApi').type);
});

const engineWith = (data: INodeParameters): Promise<N8nEngine> =>
  createN8nEngine({ packageDir: PACKAGE_DIR, credentials: { qrServiceApi: data as never } });

/** The fields that the editor shows for a stored credential, by their labels. */
function shown(data: INodeParameters): string[] {
  const filled = {
    ...Object.fromEntries(properties.map(({ name, default: usual }) => [name, usual])),
    ...data,
  };
  return properties
    .filter((property) => NodeHelpers.displayParameter(filled, property, null, null))
    .map(({ displayName }) => displayName);
}

/** What the editor stores when the credential is saved again. */
const savedAgain = (data: INodeParameters) =>
  NodeHelpers.getNodeParameters(properties, data, false, false, null, null)!;

const ALWAYS = ['API Key', 'Base URL', 'Allowed Destinations', 'Show Advanced Settings'];
const KEY = { apiKey: 'key_1' };

test('a new credential shows the key first, and advanced settings behind a toggle', () => {
  expect(shown({})).toEqual(ALWAYS);
  expect(shown({ advanced: true })).toEqual([...ALWAYS, 'Send Key In', 'Header Prefix']);
});

test("the key's hint links to where keys are created and explains each scope that the nodes use", () => {
  const [{ hint }] = properties as [INodeProperties];
  expect(hint).toMatch(/^Create a key in <a href="https:\/\/\S+" target="_blank">the app<\/a>\. Scopes: /);
  const named = [...hint!.matchAll(/<code>([a-z:]+)<\/code> to [a-z]/g)].map(([, scope]) => scope);
  expect(named.sort()).toEqual([...new Set(Object.values(OPERATION_SCOPES))].filter(Boolean).sort());
});

const HEADERS: [settings: INodeParameters, header: string, value: string][] = [
  [{}, 'authorization', 'Bearer key_1'],
  [{ authHeader: '', headerPrefix: null }, 'authorization', 'Bearer key_1'],
  [{ authHeader: 'authorization', headerPrefix: 'Acme', advanced: true }, 'authorization', 'Bearer key_1'],
  [{ authHeader: 'api-key', advanced: false }, 'x-service-api-key', 'key_1'],
  [{ authHeader: 'api-key', headerPrefix: 'Acme' }, 'x-acme-api-key', 'key_1'],
];

const TOGGLES: INodeParameters[] = [{}, { advanced: false }, { advanced: true }, { advanced: null }];
const SETTINGS: INodeParameters[] = [
  {},
  { authHeader: 'authorization', headerPrefix: 'Service' },
  { authHeader: 'authorization', headerPrefix: 'Acme' },
  { authHeader: 'api-key' },
  { authHeader: 'api-key', headerPrefix: 'Acme' },
];

/** The headers of the requests that a credential test and a run of a node send. */
async function headersSent(data: INodeParameters): Promise<IncomingHttpHeaders[]> {
  const sent: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    sent.push(headers);
    response.setHeader('Content-Type', 'application/json').end('{"workspace":{"id":"ws_1"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const engine = await engineWith({ baseUrl, ...data });
    expect((await engine.testCredential('qrServiceApi')).status).toBe('OK');
    const { data: items } = await engine.runWorkflow(action({ resource: 'account', operation: 'get' }));
    expect(items[NODE]).toMatchObject([{ json: { workspace: { id: 'ws_1' } } }]);
  } finally {
    server.close();
  }
  return sent;
}

test.each(HEADERS)('the settings %j send the key as %s', async (settings, header, value) => {
  const sent = await headersSent({ ...KEY, ...settings });
  expect(sent).toHaveLength(2);
  for (const headers of sent) {
    expect(headers[header]).toBe(value);
    expect(Object.values(headers).filter((text) => text?.includes('key_1'))).toHaveLength(1);
  }
});

test('expressions are shown without the toggle, and survive saving', () => {
  const written = {
    authHeader: '={{ $secrets.vault.header }}',
    headerPrefix: '={{ $secrets.vault.prefix }}',
  };
  expect(shown({ ...KEY, ...written })).toEqual([...ALWAYS, 'Send Key In', 'Header Prefix']);
  expect(savedAgain({ ...KEY, ...written })).toMatchObject(written);
});

test.each(SETTINGS.flatMap((settings) => TOGGLES.map((toggle) => ({ ...settings, ...toggle }))))(
  'the settings %j are shown if they are not the default, and survive saving',
  (settings: INodeParameters) => {
    const stored = { ...KEY, ...settings };
    const labels = shown(stored);
    expect(labels.includes('Send Key In')).toBe(
      settings['advanced'] === true || settings['authHeader'] === 'api-key',
    );
    expect(labels.includes('Header Prefix')).toBe(
      settings['advanced'] === true || settings['headerPrefix'] === 'Acme',
    );
    expect(new Set(labels).size).toBe(labels.length);
    const { authHeader, headerPrefix } = savedAgain(stored);
    expect([authHeader ?? 'authorization', headerPrefix ?? 'Service']).toEqual([
      settings['authHeader'] ?? 'authorization',
      settings['headerPrefix'] ?? 'Service',
    ]);
  },
);

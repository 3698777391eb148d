import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPERATION_SCOPES } from '@qr-service/core/connector';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
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

test('a credential is the key, the base URL and where codes may point', () => {
  expect(properties.map(({ name, displayName }) => [name, displayName])).toEqual([
    ['apiKey', 'API Key'],
    ['baseUrl', 'Base URL'],
    ['allowedTargets', 'Allowed Destinations'],
  ]);
});

test("the key's hint links to where keys are created and explains each scope that the nodes use", () => {
  const [{ hint }] = properties as [INodeProperties];
  expect(hint).toMatch(/^Create a key in <a href="https:\/\/\S+" target="_blank">the app<\/a>\. Scopes: /);
  const named = [...hint!.matchAll(/<code>([a-z:]+)<\/code> to [a-z]/g)].map(([, scope]) => scope);
  expect(named.sort()).toEqual([...new Set(Object.values(OPERATION_SCOPES))].filter(Boolean).sort());
});

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

test('a test and a run send the key once, as a bearer token', async () => {
  const sent = await headersSent({ apiKey: 'key_1' });
  expect(sent).toHaveLength(2);
  for (const headers of sent) {
    expect(headers.authorization).toBe('Bearer key_1');
    expect(Object.values(headers).filter((text) => text?.includes('key_1'))).toHaveLength(1);
  }
});

import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { until } from '../../../../test/support/jest/until.ts';
import type { HttpLimits } from '../../src/transports/http/limits.ts';
import { listenOnLoopback } from '../../src/transports/http/listenOnLoopback.ts';
import { startHttp, type HttpServer } from '../../src/transports/http.ts';
import { callText, connectClient, ERAS, rawConnection, type Era } from '../support/httpClients.ts';
import { RAW_TOKEN } from '../support/rawRequest.ts';
import { toyServers, type ToyServers } from '../support/toyServer.ts';

let toys: ToyServers;

function start(limits: Partial<HttpLimits> = {}, port = 0): Promise<HttpServer> {
  toys = toyServers();
  return startHttp(toys.createServer, { port, token: RAW_TOKEN, log: () => undefined, limits });
}

describe.each(Object.keys(ERAS) as Era[])('closing, with a client of %s', (era) => {
  it('lets a call in progress finish', async () => {
    const server = await start();
    const { client } = await connectClient(server.url, RAW_TOKEN, era);
    const call = callText(client, 'wait');
    await until(() => toys.waiting.length === 1);
    const closed = server.close();
    toys.waiting[0]!.release();
    expect(await call).toBe('released');
    await closed;
    expect(toys.open()).toBe(0);
    await client.close();
  });

  it('cancels a call that takes too long, tells its client, and ends streams', async () => {
    const server = await start({ shutdownMs: 50 });
    const { client } = await connectClient(server.url, RAW_TOKEN, era);
    const call = client.callTool({ name: 'wait' }).catch(String);
    await until(() => toys.waiting.length === 1);
    await server.close();
    expect(toys.waiting[0]!.signal.aborted).toBe(true);
    expect(toys.open()).toBe(0);
    expect(await call).toContain('The server is stopping.');
    await client.close();
  });

  it('refuses new requests', async () => {
    const server = await start();
    const { client } = await connectClient(server.url, RAW_TOKEN, era);
    const call = callText(client, 'wait');
    await until(() => toys.waiting.length === 1);
    const closed = server.close();
    await expect(client.callTool({ name: 'session' })).rejects.toThrow();
    toys.waiting[0]!.release();
    await call;
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
    await client.close();
  });
});

it('closes idle, silent and half-finished connections', async () => {
  const server = await start();
  const connections = await Promise.all(
    ['', 'POST /mcp HTTP/1.1\r\n'].map(async (bytes) => {
      const connection = await rawConnection(server.url);
      connection.send(bytes);
      return connection;
    }),
  );
  await server.close();
  await Promise.all(connections.map(({ closed }) => closed));
});

it.each([
  [80, 'Port 80 needs administrator rights. Choose a port above 1023, for example --http 4020.'],
  // Windows reserves ranges of ports.
  [4020, "Can't listen on port 4020 (EACCES). Choose another port."],
])('says what to do when the system forbids port %i', async (port, message) => {
  const forbidden = () => {
    const server = createHttpServer();
    server.listen = () => {
      server.emit('error', Object.assign(new Error(), { code: 'EACCES' }));
      return server;
    };
    return server;
  };
  await expect(listenOnLoopback(forbidden, port)).rejects.toThrow(message);
});

describe('a port that is in use', () => {
  const others: Server[] = [];

  afterEach(async () => {
    await Promise.all(others.splice(0).map((other) => new Promise((resolve) => other.close(resolve))));
  });

  it.each(['127.0.0.1', '::1'])('at %s is refused, with another one to choose', async (host) => {
    const other = createServer().listen(0, host);
    others.push(other);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(start({}, port)).rejects.toThrow(
      `Port ${port} is already in use. Stop the program that uses it, or choose another port: --http ${port + 1}.`,
    );
    // Nothing is left behind at the other address. Listening there could fail: a closed connection may hold the port.
    const socket = connect(port, host === '::1' ? '127.0.0.1' : '::1');
    const isRefused = await new Promise((resolve) => {
      socket.once('error', () => resolve(true)).once('connect', () => resolve(false));
    });
    socket.destroy();
    expect(isRefused).toBe(true);
  });
});

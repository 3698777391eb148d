import { createServer, type AddressInfo } from 'node:net';
import { readConnectTo } from '../src/config/options.ts';
import { createPoster, publicLookup } from '../src/delivery/post.ts';

const REQUEST = { headers: {}, body: '{}' };

test.each(['https://localhost:9/', 'https://127.0.0.1:9/', 'https://[::1]:9/', 'https://10.0.0.1/'])(
  'refuses to deliver to %s, a local or private address',
  async (url) => {
    const poster = createPoster(readConnectTo({}), 1000);
    const { status, error } = await poster.post({ ...REQUEST, url });
    poster.close();
    expect(status).toBeNull();
    expect(error).toMatch(/local or private address/);
  },
);

test('returns one address or all of them, as requested', async () => {
  const ask = (all: boolean) =>
    new Promise((resolve) => {
      publicLookup('203.0.113.7', { all }, (...result) => {
        resolve(result);
      });
    });
  expect(await ask(true)).toEqual([null, [{ address: '203.0.113.7', family: 4 }]]);
  expect(await ask(false)).toEqual([null, '203.0.113.7', 4]);
});

test('posts plain HTTP to a connect-to port and times out on a silent receiver', async () => {
  const first: Buffer[] = [];
  const server = createServer((socket) => socket.once('data', (data) => first.push(data)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const poster = createPoster(readConnectTo({ 'hooks.example.com': `127.0.0.1:${port}` }), 1000);
  const result = await poster.post({ ...REQUEST, url: 'https://hooks.example.com/in' });
  expect(result).toEqual({ status: null, error: 'no response within 1 s' });
  expect(first[0]?.toString()).toMatch(/^POST \/in HTTP\/1\.1\r\n/);
  poster.close();
  await new Promise((resolve) => server.close(resolve));
});

test('connects to a public host over TLS by its name', async () => {
  const first: Buffer[] = [];
  const server = createServer((socket) =>
    socket.once('data', (data) => {
      first.push(data);
      socket.destroy();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const poster = createPoster(readConnectTo({}), 1000, (_name, { all }, callback) => {
    if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
    else callback(null, '127.0.0.1', 4);
  });
  const result = await poster.post({ ...REQUEST, url: `https://hooks.example.com:${port}/in` });
  expect(result.status).toBeNull();
  const tlsHandshake = 0x16;
  expect(first[0]?.[0]).toBe(tlsHandshake);
  expect(first[0]?.toString('latin1')).toContain('hooks.example.com');
  poster.close();
  await new Promise((resolve) => server.close(resolve));
});

test.each(['127.0.0.1', '127.0.0.1:0', '127.0.0.1:99999', ':80', 'http://x:80', '::1:80', '[nope]:80'])(
  'rejects the connect-to rule to %j and names it',
  (to) => {
    expect(() => readConnectTo({ 'a.example.com': to })).toThrow(`a.example.com=${to}`);
  },
);

test.each([
  ['localhost:80', { host: 'localhost', port: 80 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
])('reads the connect-to rule to %j', (to, endpoint) => {
  expect(readConnectTo({ 'A.example.com': to })(new URL('https://a.example.com/x'))).toEqual(endpoint);
});

import { closeServices, serve } from '../../../test/support/faultyService/faultyService.ts';
import { nodeTransport } from '../src/client/nodeTransport.ts';

afterEach(closeServices);

test('a response that switches protocols is an error at once', async () => {
  const { url } = await serve(({ socket }) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  const request = { method: 'GET', url, headers: {}, timeoutMs: 60_000, maxBytes: 1000 } as const;
  await expect(nodeTransport(url)({ ...request, responseType: 'json' })).rejects.toMatchObject({
    kind: 'network',
    unsent: false,
  });
});

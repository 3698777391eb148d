import { gzipSync } from 'node:zlib';
import { startService, stopServices } from './support/service.ts';

afterEach(stopServices);

describe('an error page', () => {
  test.each([
    [404, 1_500_000],
    [401, 60],
    [502, 20],
    [404, 0],
  ])('is %s with %s bytes', async (status, bytes) => {
    const { emulator, call } = await startService();
    emulator.control.failNext({ status, bytes });
    const response = await call('GET', '/me', { offContract: true });
    expect([response.status, response.bytes.length]).toEqual([status, bytes]);
    expect(response.headers.get('Content-Type')).toBe(bytes === 0 ? null : 'text/html');
  });

  test('expands from gzip to its size', async () => {
    const { emulator, call } = await startService();
    emulator.control.failNext({ preset: 'compressed page', status: 401, bytes: 3_000_000 });
    const { status, headers, bytes } = await call('GET', '/me', { offContract: true });
    expect([status, headers.get('Content-Encoding'), bytes.length]).toEqual([401, 'gzip', 3_000_000]);
    expect(Number(headers.get('Content-Length'))).toBe(gzipSync(bytes).length);
  });

  test.each([{ encoding: 'broken gzip' }, { cut: 'length' }, { encoding: 'gzip', cut: 'chunked' }] as const)(
    "can't be read with %j",
    async (fault) => {
      const { emulator, call } = await startService();
      emulator.control.failNext({ status: 404, bytes: 500_000, ...fault });
      await expect(call('GET', '/me')).rejects.toThrow('terminated');
    },
  );

  test("isn't sent when the fault only compresses the response", async () => {
    const { emulator, call } = await startService();
    emulator.control.failNext({ encoding: 'gzip' });
    const { status, headers } = await call('GET', '/me');
    expect([status, headers.get('Content-Encoding')]).toEqual([200, 'gzip']);
  });
});

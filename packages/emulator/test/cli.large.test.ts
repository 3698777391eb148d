import { createServer } from 'node:net';
import { until } from '../../../test/support/jest/until.ts';
import { atEnd, startReceiver } from './support/receiver.ts';
import { bannerOf, runCommand as run } from './support/command.ts';
import { HOST, tempFile } from './support/service.ts';

// The command in its own process. Tests of its options are in command.test.ts.

test('prints a curl line that works, survives a closed stdout and exits with 0 on SIGINT', async () => {
  const { printed, child, ended } = run(['--port', '0'], { npm_command: 'exec' });
  const { url, apiKey } = await bannerOf({ printed });
  const [, header = '', value = '', address = ''] =
    /curl -H '([^:]+): ([^']+)' (\S+)/.exec(await printed('curl')) ?? [];
  expect([header, value, address]).toEqual(['Authorization', `Bearer ${apiKey}`, `${url}/v1/public-api/me`]);
  expect(await printed('Below:')).toMatch(new RegExp(`Inspector +${url} .*open it in a browser`));
  expect(await printed('Below:')).toContain('  npx qr-service-emulator --help ');
  const ask = async () => (await fetch(address, { headers: { [header]: value } })).status;
  expect(await ask()).toBe(200);
  await printed('GET /v1/public-api/me → 200');
  child.stdout!.destroy();
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

test('uses any free port when the default port is busy', async () => {
  const server = createServer();
  // Another program may use it already.
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve()).listen(4010, '127.0.0.1', () => resolve());
  });
  atEnd(() => server.close());
  const { printed } = run([], { npm_command: '' });
  const { url } = await bannerOf({ printed });
  expect(await printed('Try it')).toContain('\n  qr-service-emulator --help ');
  expect(Number(new URL(url).port)).not.toBe(4010);
});

test('resumes a pending delivery of its database file at the next start', async () => {
  let isReady = false;
  const { address, received } = await startReceiver((nth) => (isReady ? 204 : nth === 0 ? null : 503));
  const db = tempFile('emulator.json');
  const args = ['--port', '0', '--api-key', 'key', '--db', db, '--connect-to', `${HOST}=${address}`];
  const first = run(args);
  const { url } = await bannerOf(first);
  const headers = { Authorization: 'Bearer key' };
  const post = (path: string, body: unknown) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/v1/public-api/webhooks', { url: `https://${HOST}/in`, eventTypes: ['export.ready'] });
  await post('/_emulator/emit', ['export.ready']);
  await until(() => received.length > 0);
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);

  isReady = true;
  await run(args).printed('export.ready → 204');
  const ids = received.map((delivery) => delivery.headers['x-service-delivery']);
  expect(ids).toEqual([ids[0], ids[0]]);
});

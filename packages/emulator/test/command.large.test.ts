import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { bannerOf, runCommand as run } from './support/command.ts';
import { atEnd } from './support/receiver.ts';
import { tempFile } from './support/service.ts';

// The command in its own process. Tests of its options are in delivery.test.ts.

test('applies its seed, prints a curl line that works, survives a closed stdout and exits with 0 on SIGINT', async () => {
  const db = tempFile('emulator.json');
  const seed = tempFile('seed.json');
  writeFileSync(seed, '{ "keys": [{ "apiKey": "seeded" }] }');
  const args = ['--port', '0', '--db', db, '--seed', seed];
  const { printed, child, ended } = run(args, { npm_command: 'exec' });
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
  expect((await fetch(address, { headers: { 'X-Service-API-Key': 'seeded' } })).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, err: '' });
  expect(existsSync(db)).toBe(true);
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

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { bannerOf, killCommands, runCommand as run } from './support/command.ts';
import { stopReceivers } from './support/receiver.ts';
import { resumeAfter } from './support/resumeAfter.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

// The command in its own process. Tests of its options are in command.test.ts.

const servers: Server[] = [];

afterEach(async () => {
  killCommands();
  await stopReceivers();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  removeTempFolders();
});

/** Occupies a port, unless it is already in use. */
async function occupy(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve());
    server.listen(port, '127.0.0.1', () => {
      servers.push(server);
      resolve();
    });
  });
}

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
  child.stdout.destroy();
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

test('exits with 1 and one line on stderr when it cannot start', async () => {
  const { code, out, err } = await run(['--color']).ended;
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: "unknown option '--color'. See --help.\n" });
});

test('uses any free port when the default port is busy', async () => {
  await occupy(4010);
  const { printed } = run([], { npm_command: '' });
  const { url } = await bannerOf({ printed });
  expect(await printed('Try it')).toContain('\n  qr-service-emulator --help ');
  expect(Number(new URL(url).port)).not.toBe(4010);
});

test('applies the seed and the API key given as options', async () => {
  const seed = tempFile('seed.json');
  writeFileSync(seed, JSON.stringify({ codes: [{ name: 'Door', targetUrl: 'https://example.com/' }] }));
  const { url, apiKey } = await bannerOf(run(['--port', '0', '--seed', seed, '--api-key', 'my-own-key']));
  expect(apiKey).toBe('my-own-key');
  const response = await fetch(`${url}/v1/public-api/qr`, { headers: { Authorization: `Bearer ${apiKey}` } });
  expect(await response.json()).toMatchObject({ data: [{ name: 'Door' }] });
});

test('with --db, accepts the key of an earlier start and the one from the environment', async () => {
  const db = tempFile('emulator.db');
  const first = run(['--port', '0', '--db', db]);
  const earlier = await bannerOf(first);
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);
  const { url, apiKey } = await bannerOf(
    run(['--port', '0', '--db', db], { QR_SERVICE_API_KEY: 'my-own-key' }),
  );
  expect(apiKey).toBe('my-own-key');
  for (const key of [earlier.apiKey, 'my-own-key']) {
    const headers = { 'X-Service-API-Key': key };
    expect((await fetch(`${url}/v1/public-api/me`, { headers })).status).toBe(200);
  }
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'resumes a pending delivery at the next start after %s',
  resumeAfter,
);

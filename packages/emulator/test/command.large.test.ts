import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startCommand } from '../../../test/support/process/command.ts';
import { bannerOf, runCommand as run, runInProcess } from './support/command.ts';
import { atEnd } from './support/receiver.ts';
import { codeInput, startService, tempFile } from './support/service.ts';

// The command in its own process. Tests of its options are in delivery.test.ts.

test('applies its seed, prints a curl line that works, survives a closed stdout and exits with 0 on SIGINT', async () => {
  const db = tempFile('emulator.json');
  const seed = tempFile('seed.json');
  writeFileSync(seed, '{ "keys": [{ "apiKey": "seeded" }] }');
  const args = ['--port', '0', '--db', db, '--seed', seed];
  const { printed, child, ended } = run(args, { npm_command: 'exec' });
  const { url, apiKey } = await bannerOf({ printed });
  const [, header = '', value = '', address = ''] =
    /curl -H "([^:]+): ([^"]+)" (\S+)/.exec(await printed('curl')) ?? [];
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

test('writes its database when the terminal is closed, and shows no key from the environment', async () => {
  const db = tempFile('emulator.json');
  const key = 'sk_real_0123456789';
  const { printed, child, ended } = run(['--port', '0', '--db', db], { QR_SERVICE_API_KEY: key });
  const { url, apiKey } = await bannerOf({ printed });
  expect(apiKey).toBe('$QR_SERVICE_API_KEY');
  expect(await printed('curl')).toContain('curl -H "Authorization: Bearer $QR_SERVICE_API_KEY" http');
  const page = await (await fetch(`${url}/codes`)).text();
  expect(page).toContain('<code>$QR_SERVICE_API_KEY</code>');
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify(codeInput('Door'));
  expect((await fetch(`${url}/v1/public-api/qr`, { method: 'POST', headers, body })).status).toBe(201);
  child.kill('SIGHUP');
  const { code, out } = await ended;
  expect(code).toBe(0);
  expect(out + page).not.toContain(key);
  expect(readFileSync(db, 'utf8')).toContain('"Door"');
});

test('refuses a database file that another process uses, but not one whose process was killed', async () => {
  const db = tempFile('emulator.json');
  const { printed, child } = run(['--port', '0', '--db', db]);
  await bannerOf({ printed });
  const text = readFileSync(db, 'utf8');
  const { code, err } = await runInProcess('--port', '0', '--db', db);
  const sentence = `The database file ${db} is in use by process ${child.pid}; stop it first.`;
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(sentence) as string });
  expect(readFileSync(db, 'utf8')).toBe(text);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { emulator } = await startService({ db });
  await emulator.stop();
  expect(JSON.parse(readFileSync(db, 'utf8')) as object).toMatchObject({ usedBy: 0 });
});

// As in a Node.js that is too old.
test.each(['qr-service-emulator', 'qr-service-probe'])('%s names the Node.js that it needs', async (name) => {
  const bin = join(__dirname, `../../${name.replace('qr-service-', '')}/bin/${name}.js`);
  const args = ['--import=data:text/javascript,process.getBuiltinModule=undefined', bin, '--version'];
  const { ended } = startCommand(process.execPath, args, { cwd: __dirname, env: {} });
  const { out, err, code } = await ended;
  expect({ out, code }).toEqual({ out: '', code: name === 'qr-service-probe' ? 2 : 1 });
  expect(err).toMatch(/^qr-service-\w+: Node\.js [\d.]+ is too old\. Install 20\.18\.1 or newer\.\n$/);
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

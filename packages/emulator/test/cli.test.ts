import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { DELIVERY_FAULTS, FAULT_PRESETS, WIRE_CHOICES } from 'qr-service-emulator';
import { bannerOf, killCommands, runCommand as run } from './support/command.ts';
import { startReceiver, stopReceivers } from './support/receiver.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

const PACKAGE = join(__dirname, '..');
const servers: Server[] = [];

afterEach(async () => {
  killCommands();
  await stopReceivers();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  removeTempFolders();
});

async function busyPort(port = 0): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

const field = (out: string, pattern: RegExp) => pattern.exec(out)?.[1] ?? '';

test.each(['SIGINT', 'SIGTERM'] as const)(
  'it says how to use it, works, and ends cleanly on %s',
  async (signal) => {
    const { said, child, ended } = run(['--port', '0']);
    const out = await said('Ctrl-C stops it.');
    const [url, key] = [field(out, /emulator at (\S+)/), field(out, /API key +(\S+)/)];
    const curl = /curl -H '([^:]+): ([^']+)' (\S+)/.exec(out);
    const answer = await fetch(curl?.[3] ?? '', { headers: { [curl?.[1] ?? '']: curl?.[2] ?? '' } });
    expect(answer.status).toBe(200);
    expect(curl?.[3]).toBe(`${url}/v1/public-api/me`);
    expect(curl?.[2]).toBe(`Bearer ${key}`);
    await said('GET /v1/public-api/me → 200');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, err: '' });
  },
);

test('it takes a free port when the default one is busy', async () => {
  // Where someone else has the default port, it is busy all the same.
  await busyPort(4010).catch(() => undefined);
  const { said } = run([]);
  expect(Number(field(await said('Ctrl-C'), /emulator at http:\/\/127\.0\.0\.1:(\d+)/))).toBeGreaterThan(
    4010,
  );
});

test('a busy port that was asked for is one sentence', async () => {
  const port = await busyPort();
  expect(await run(['--port', String(port)]).ended).toEqual({
    code: 1,
    out: '',
    err: `Port ${port} is in use; name another one.\n`,
  });
});

test('--help names every option', async () => {
  const { code, out } = await run(['--help']).ended;
  expect(code).toBe(0);
  const options = [
    'port',
    'host',
    'db',
    'connect-to',
    'redirect-url',
    'rate-limit',
    'api-key',
    'seed',
    'id-seed',
    'wire-shape',
    'fault',
    'delivery-fault',
    'help',
    'version',
  ];
  for (const option of options) expect(out).toContain(`--${option} `);
  for (const name of [
    ...Object.keys(FAULT_PRESETS),
    ...Object.keys(DELIVERY_FAULTS),
    ...Object.keys(WIRE_CHOICES),
  ])
    expect(out).toMatch(new RegExp(`^ {2}${name}( {2}|$)`, 'm'));
});

test('seed, ids, shape and faults can be given at the start', async () => {
  const seed = tempFile('seed.json');
  writeFileSync(seed, JSON.stringify({ codes: [{ name: 'Door', targetUrl: 'https://example.com/' }] }));
  const keys: string[] = [];
  for (let start = 0; start < 2; start++) {
    const { said, child, ended } = run([
      ...['--port', '0', '--seed', seed, '--id-seed', 'one', '--wire-shape', 'listKey=items,unsubscribe=405'],
      ...[
        '--fault',
        'expired cursors',
        '--delivery-fault',
        'unsigned',
        '--wire-shape',
        'reset=epoch seconds',
      ],
    ]);
    const out = await said('Ctrl-C');
    const [url, key] = [field(out, /emulator at (\S+)/), field(out, /API key +(\S+)/)];
    keys.push(key);
    const ask = async (path: string) =>
      (await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })).json();
    expect(await ask('/v1/public-api/qr')).toMatchObject({ items: [{ name: 'Door' }] });
    expect(await ask('/v1/public-api/qr?cursor=x')).toMatchObject({ code: 'invalid_cursor' });
    expect(await ask('/_emulator/faults')).toMatchObject({
      faults: [{ preset: 'expired cursors', left: null }],
    });
    expect(await ask('/_emulator/delivery-faults')).toMatchObject({ faults: [{ kind: 'unsigned' }] });
    expect(await ask('/_emulator/wire-shape')).toMatchObject({
      wireShape: { listKey: 'items', unsubscribe: 405, reset: 'epoch seconds' },
    });
    child.kill('SIGTERM');
    await ended;
  }
  expect(keys[0]).toBe(keys[1]);
});

test.each([
  ['{"codes": [{"name": "Door"}]}', "can't be used: codes[0].targetUrl is missing.\n"],
  ['{\n  "codes": [,]\n}', `is not valid JSON: Unexpected token ',', "{ "codes": [,] }".\n`],
])('the seed file %j is refused with its place', async (text, sentence) => {
  const seed = tempFile('seed.json');
  writeFileSync(seed, text);
  const { code, err } = await run(['--port', '0', '--seed', seed]).ended;
  expect({ code, err }).toEqual({ code: 1, err: `The seed file ${seed} ${sentence}` });
});

test('--version says the version', async () => {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  expect(await run(['--version']).ended).toMatchObject({ code: 0, out: `${version}\n` });
});

test.each([
  [['--colour'], "Unknown option '--colour'. See --help."],
  [['extra'], "Unexpected argument 'extra'"],
  [['--port', '70000'], '--port must be a number from 0 to 65535, not 70000.'],
  [['--port'], "Option '-p, --port <value>' argument missing. See --help."],
  [['--rate-limit', 'lots'], '--rate-limit must be requests/seconds, for example 600/10, not lots.'],
  [['--connect-to', 'a.example.com'], '--connect-to must be host=address:port, not a.example.com.'],
  [['--connect-to', 'a.example.com=b'], 'The connect-to rule a.example.com=b is not of the form'],
  [['--redirect-url', 'qr.example'], 'The redirect URL qr.example is no absolute http or https URL.'],
  [['--seed', '/none.json'], "The seed file /none.json can't be read (ENOENT)."],
  [
    ['--wire-shape', 'listKey'],
    'A wire shape is written point=form,point=form; listKey is not of this form.',
  ],
  [['--wire-shape', 'listKey=rows'], 'The wire shape listKey must be one of: data, '],
  [['--wire-shape', 'colour=red'], 'There is no wire shape colour.'],
  [['--fault', 'gremlins'], 'There is no --fault gremlins. See --help.'],
  [['--delivery-fault', 'lost'], 'There is no --delivery-fault lost. See --help.'],
  [['--host', '203.0.113.7'], "The emulator can't listen on 203.0.113.7"],
  [['--api-key', 'a b'], 'The API key must be made of letters, digits and signs, without spaces.'],
])('%j is refused in one sentence', async (args, sentence) => {
  const { code, out, err } = await run(args).ended;
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(sentence);
  expect(err.trim().split('\n')).toHaveLength(1);
});

test('a broken database file is one sentence and left as it is', async () => {
  const db = tempFile('broken.db');
  writeFileSync(db, 'x'.repeat(5000));
  const { code, err } = await run(['--port', '0', '--db', db]).ended;
  expect(code).toBe(1);
  expect(err).toBe(`The database file ${db} is no SQLite database; name another file.\n`);
  expect(readFileSync(db, 'utf8')).toBe('x'.repeat(5000));
});

test('with --db, a key of an earlier start and one from the environment both work', async () => {
  const db = tempFile('emulator.db');
  const first = run(['--port', '0', '--db', db]);
  const key = field(await first.said('Ctrl-C'), /API key +(\S+)/);
  first.child.kill('SIGTERM');
  await first.ended;
  const second = run(['--port', '0', '--db', db], { QR_SERVICE_API_KEY: 'my-own-key' });
  const out = await second.said('Ctrl-C');
  expect(field(out, /API key +(\S+)/)).toBe('my-own-key');
  for (const apiKey of [key, 'my-own-key']) {
    const headers = { 'X-Service-API-Key': apiKey };
    expect((await fetch(`${field(out, /emulator at (\S+)/)}/v1/public-api/me`, { headers })).status).toBe(
      200,
    );
  }
});

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'after %s, a pending delivery goes on at the next start',
  async (signal) => {
    let isReady = false;
    const { address, received } = await startReceiver((nth) => (isReady ? 204 : nth === 0 ? null : 503));
    const host = 'hooks.example.com';
    const args = ['--port', '0', '--db', tempFile('emulator.db'), '--connect-to', `${host}=${address}`];
    const first = run(args);
    const { url, apiKey } = await bannerOf(first);
    const post = (path: string, body: object) =>
      fetch(url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}` },
        body: JSON.stringify(body),
      });
    await post('/v1/public-api/webhooks', { url: `https://${host}/in`, eventTypes: ['export.ready'] });
    await post('/_emulator/events', { type: 'export.ready' });
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    first.child.kill(signal);
    expect((await first.ended).code).toBe(signal === 'SIGKILL' ? null : 0);

    isReady = true;
    await run(args).said('export.ready → 204');
    expect(received.map(({ headers }) => headers['x-service-delivery'])).toEqual(
      Array<unknown>(2).fill(received[0]?.headers['x-service-delivery']),
    );
  },
);

test('it goes on when nobody reads what it prints any more', async () => {
  const command = run(['--port', '0']);
  const { url, apiKey } = await bannerOf(command);
  command.child.stdout.destroy();
  for (let nth = 0; nth < 3; nth++)
    expect(
      (await fetch(`${url}/v1/public-api/me`, { headers: { Authorization: `Bearer ${apiKey}` } })).status,
    ).toBe(200);
  command.child.kill('SIGTERM');
  expect(await command.ended).toMatchObject({ code: 0, err: '' });
});

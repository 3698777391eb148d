import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

const PACKAGE = join(__dirname, '..');
const started: ChildProcessWithoutNullStreams[] = [];
const servers: Server[] = [];

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  removeTempFolders();
});

interface Run {
  child: ChildProcessWithoutNullStreams;
  /** Resolves with what was printed once that holds the text. */
  said: (text: string) => Promise<string>;
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

function run(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, ['--conditions=@qr-service/source', 'src/cli.ts', ...args], {
    cwd: PACKAGE,
    env: { ...process.env, ...env },
  });
  started.push(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => {
      resolve({ code, out, err });
    }),
  );
  const said = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (out.includes(text)) resolve(out);
      };
      look();
      child.stdout.on('data', look);
      void ended.then(() => {
        reject(new Error(`ended without saying ${text}: ${out}${err}`));
      });
    });
  return { child, said, ended };
}

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
    'help',
    'version',
  ];
  for (const option of options) expect(out).toContain(`--${option} `);
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

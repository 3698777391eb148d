import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { freePort } from '../../../test/support/process/freePort.ts';
import { COMMAND, killStarted, start, startCommand } from './support/command.ts';

const KEY = 'sk_live_very-secret-key-0123456789';
const HOOKS = 'hooks.example.com';
/** What only the workspace's owner may see. */
const PRIVATE = ['Secret menu of table', 'https://private.example.com/menu'];
const SEED = {
  codes: [1, 2, 3].map((table) => ({
    name: `${PRIVATE[0]} ${table}`,
    targetUrl: `${PRIVATE[1]}/${table}`,
    status: 'published' as const,
    scans: [{ scannedAt: Date.parse('2026-01-01T00:00:00Z') + table }],
  })),
};

let folder: string;
let emulator: Emulator | undefined;
let proxy: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-'));
});
afterEach(async () => {
  killStarted();
  await emulator?.stop();
  proxy?.closeAllConnections();
  proxy?.close();
  proxy = undefined;
  rmSync(folder, { recursive: true });
});

async function serve(options: EmulatorOptions = {}): Promise<Emulator> {
  emulator = await startEmulator({
    apiKey: KEY,
    seed: SEED,
    rateLimit: { limit: 2000, windowSeconds: 1 },
    ...options,
  });
  return emulator;
}

const run = (args: readonly string[], env: Record<string, string> = {}, baseUrl = emulator!.url) =>
  startCommand(['--base-url', baseUrl, ...args], {
    cwd: folder,
    env: { QR_SERVICE_API_KEY: KEY, ...env },
  });
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** A proxy in front of the emulator that keeps the signing secrets it sees. */
async function serveWithSecrets(options: EmulatorOptions): Promise<{ url: string; secrets: Set<string> }> {
  const { url } = await serve(options);
  const secrets = new Set<string>();
  proxy = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]);
      const { host: _, connection: __, ...headers } = request.headers;
      const upstream = await fetch(url + (request.url ?? ''), {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        redirect: 'manual',
        ...(body.length > 0 && { body }),
      });
      const bytes = Buffer.from(await upstream.arrayBuffer());
      const [secret] = /whsec_[\w-]+/.exec(bytes.toString()) ?? [];
      if (secret !== undefined) secrets.add(secret);
      const { 'content-encoding': ___, ...rest } = Object.fromEntries(upstream.headers);
      response.writeHead(upstream.status, rest).end(bytes);
    })();
  });
  await new Promise<void>((resolve) => proxy!.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, secrets };
}

test('no output contains a key, a secret, or, without --verbose, a name or an address of a code', async () => {
  const port = await freePort();
  const { url, secrets } = await serveWithSecrets({ connectTo: { [HOOKS]: `127.0.0.1:${port}` } });
  const write = ['--write', '--webhook', `https://${HOOKS}/hook`, '--port', String(port)];
  const outputs: string[] = [];
  for (const [at, args] of [['--json'], [], ['--json', '--verbose'], ['--verbose']].entries()) {
    const files = ['--html', `${at}.html`, '--shape', `${at}.json`];
    const { code, out, err } = await run([...write, ...files, ...args], {}, url).ended;
    expect({ code, err: err.replaceAll(/^.*\n/gm, '') }).toEqual({ code: 0, err: '' });
    outputs.push([out, err, read(`${at}.html`), read(`${at}.json`)].join('\n'));
  }
  expect(secrets.size).toBeGreaterThan(3);
  for (const secret of [KEY, Buffer.from(KEY).toString('base64'), ...secrets])
    for (const output of outputs) expect(output.includes(secret)).toBe(false);
  const [name = '', target = ''] = PRIVATE;
  expect(outputs.map((output) => output.includes(name))).toEqual([false, false, true, true]);
  expect(outputs.slice(0, 2).some((output) => output.includes(target))).toBe(false);
});

test('without a service, the command says so, ends with 2 and writes nothing', async () => {
  const { code, out } = await run(['--html', 'report.html'], {}, 'http://127.0.0.1:9').ended;
  expect(code).toBe(2);
  expect(out).toContain('✘ The service can be reached');
  expect(readdirSync(folder)).toEqual([]);
});

test('exit statuses: 0 if everything works, 1 if something fails, 2 if the key is refused', async () => {
  await serve();
  expect((await run([]).ended).code).toBe(0);
  emulator!.control.failNext({ status: 200, html: true, match: { path: '/scans' }, times: Infinity });
  const failed = await run(['--shape', 'broken.json']).ended;
  expect(failed).toMatchObject({ code: 1, out: expect.stringContaining("The connectors don't fully work") });
  expect((await run([], { QR_SERVICE_API_KEY: 'wrong' }).ended).code).toBe(2);
});

test('the files: a page, and a shape that replaces only an earlier shape', async () => {
  await serve();
  writeFileSync(join(folder, 'shape.json'), '{"mine":true}');
  mkdirSync(join(folder, 'folder'));
  const { code, err } = await run(['--html', 'folder']).ended;
  expect(code).toBe(0);
  expect(err).toContain("folder couldn't be written (EISDIR).");
  expect(err).toContain("shape.json exists and isn't a shape file, so it was kept.");
  expect(read('shape.json')).toBe('{"mine":true}');
  writeFileSync(join(folder, 'shape.json'), '{"format":"qr-service-shape"}');
  await run(['--html', 'report.html']).ended;
  expect(JSON.parse(read('shape.json'))).toMatchObject({ version: 1, wireShape: { listKey: 'data' } });
  expect(read('report.html')).toMatch(/^<!doctype html>/);
});

test('Ctrl-C removes what was created, says what is left, and ends with 130', async () => {
  const { control } = await serve({ connectTo: { [HOOKS]: '127.0.0.1:9' } });
  const port = String(await freePort());
  const { child, printed, ended } = run(['--write', '--webhook', `https://${HOOKS}/`, '--port', port]);
  await printed('Waiting for the delivery');
  expect(control.subscriptions()).toHaveLength(1);
  child.kill('SIGINT');
  const { code, out, err } = await ended;
  expect(code).toBe(130);
  expect(control.subscriptions()).toEqual([]);
  expect(err).toMatch(/Stopped\. Left behind: code qr_\w+ is left: /);
  expect(out).toContain('Left behind');
});

test('Ctrl-C while it probes ends with 130 and a report of what is known', async () => {
  const { control } = await serve();
  control.failNext({ delayMs: 600_000, match: { path: '/scans' }, times: Infinity });
  const { child, printed, ended } = run([]);
  await printed('Looking at scans');
  child.kill('SIGINT');
  const { code, out, err } = await ended;
  expect(code).toBe(130);
  expect(err).toContain('Stopped. Nothing is left behind.');
  expect(out).toContain('The probe was stopped before this.');
});

test('a reader that stops reading changes nothing', async () => {
  await serve();
  const command = `"${process.execPath}" "${COMMAND}" --base-url ${emulator!.url} --shape piped.json; echo "status $?" >&2`;
  const pipe = start('sh', ['-c', `{ ${command}; } | head -c 1`], {
    cwd: folder,
    env: { QR_SERVICE_API_KEY: KEY },
  });
  const { err } = await pipe.ended;
  expect(err).toContain('status 0');
  expect(err).not.toContain('EPIPE');
  expect(read('piped.json')).toContain('qr-service-shape');
});

/** Runs the command in a pseudo-terminal. */
function inTerminal(env: Record<string, string> = {}) {
  const command = `"${process.execPath}" "${COMMAND}" --base-url ${emulator!.url}`;
  return start('script', ['-qec', command, '/dev/null'], { cwd: folder, env: { TERM: 'xterm', ...env } });
}

// Other systems' `script` takes no command.
(process.platform === 'linux' ? describe : describe.skip)('in a terminal', () => {
  test('asks for the key without showing it, and shows progress and colors', async () => {
    await serve();
    const { child, printed, ended } = inTerminal();
    await printed('API key (not shown): ');
    child.stdin!.write(`\x1B[200~${KEY}x\x1B[201~\x7F\r`);
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out).not.toContain(KEY.slice(0, 8));
    expect(out).toContain('\x1B[32m✔');
    expect(out).toContain('] Looking at lists');
  });

  test('NO_COLOR leaves out the colors', async () => {
    await serve();
    const { out } = await inTerminal({ NO_COLOR: '1', QR_SERVICE_API_KEY: KEY }).ended;
    expect(out).toContain('✔ Poll for changes');
    expect(out).not.toContain('\x1B[3');
  });

  test('Ctrl-C at the question ends with 130', async () => {
    await serve();
    const { child, printed, ended } = inTerminal();
    await printed('API key (not shown): ');
    child.stdin!.write('half a key\x03');
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(out).not.toContain('half a key');
  });
});

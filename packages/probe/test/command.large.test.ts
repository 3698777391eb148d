import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { startCommand } from '../../../test/support/process/command.ts';
import { freePort } from '../../../test/support/process/freePort.ts';
import { temporaryFolder } from '../../../test/support/temporaryFolder.ts';

/** The built command. */
const COMMAND = join(__dirname, '../bin/qr-service-probe.js');

const KEY = 'sk_live_very-secret-key-0123456789';
const HOOKS = 'hooks.example.com';
/** What only the workspace's owner may see. */
const PRIVATE = ['Secret menu of table', 'https://private.example.com/menu'] as const;
const SEED = {
  codes: [1, 2, 3].map((table) => ({
    name: `${PRIVATE[0]} ${table}`,
    targetUrl: `${PRIVATE[1]}/${table}`,
    status: 'published' as const,
    scans: [{ scannedAt: Date.parse('2026-01-01T00:00:00Z') + table }],
  })),
};

let folder: string;
let emulator: Emulator;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => emulator.stop());

async function serve(options: EmulatorOptions = {}): Promise<Emulator> {
  emulator = await startEmulator({ apiKey: KEY, seed: SEED, ...options });
  return emulator;
}

const start = (file: string, args: readonly string[], env: Record<string, string>) =>
  startCommand(file, args, { cwd: folder, env: { PATH: process.env['PATH'], ...env } });

const run = (...args: string[]) =>
  start(process.execPath, [COMMAND, '--base-url', emulator.url, ...args], { QR_SERVICE_API_KEY: KEY });

test('confirms all jobs with a delivery, shows nothing private and writes no file', async () => {
  const port = String(await freePort());
  const { control } = await serve({ connectTo: { [HOOKS]: `127.0.0.1:${port}` } });
  const write = ['--write', '--webhook', `https://${HOOKS}/hook`, '--port', port];
  for (const args of [[], ['--json', '--verbose']]) {
    const { child, printed, ended } = run(...write, ...args);
    await printed('Subscribe …');
    const { code, out, err } = await ended;
    expect({ code, signal: child.signalCode }).toEqual({ code: 0, signal: null });
    expect(out).toContain('The connectors work with this service.');
    for (const hidden of [KEY, 'whsec_', ...PRIVATE]) expect(out + err).not.toContain(hidden);
  }
  expect(control.subscriptions()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('Ctrl-C unsubscribes, lists what is left and exits with 130', async () => {
  const port = String(await freePort());
  const { control } = await serve({ connectTo: { [HOOKS]: '127.0.0.1:9' } });
  const { child, printed, ended } = run('--write', '--webhook', `https://${HOOKS}/`, '--port', port);
  await printed('Signed delivery …');
  expect(control.subscriptions()).toHaveLength(1);
  child.kill('SIGINT');
  const { code, out } = await ended;
  expect(code).toBe(130);
  expect(control.subscriptions()).toEqual([]);
  expect(out).toContain('The probe was stopped before it had checked everything.');
  expect(out).toMatch(/Left behind\n.*\n {2}- code qr_\w+ is left: qr-service-probe/);
});

test('Ctrl-C twice exits at once and lists what may be left', async () => {
  const { control } = await serve();
  control.failNext({ delayMs: 600_000, match: { method: 'POST', path: '/qr' }, times: Infinity });
  control.failNext({ delayMs: 600_000, match: { method: 'DELETE' }, times: Infinity });
  const { child, printed, ended } = run('--write');
  await printed('Create a code …');
  child.kill('SIGINT');
  await printed('Unsubscribe …');
  child.kill('SIGINT');
  const { code, err } = await ended;
  expect(code).toBe(130);
  expect(err).toMatch(/subscription \w+ may be left: https:.*\ncode may be left: qr-service-probe/);
});

test('exits with its usual status when the reader of its output stops reading', async () => {
  await serve();
  const command = `"${process.execPath}" "${COMMAND}" --base-url ${emulator.url}; echo "status $?" >&2`;
  const env = { QR_SERVICE_API_KEY: KEY };
  const { err } = await start('sh', ['-c', `{ ${command}; } | head -c 1`], env).ended;
  expect(err).toContain('status 0');
  expect(err).not.toContain('EPIPE');
});

/** Runs the command in a pseudo-terminal. */
function inTerminal() {
  const command = `"${process.execPath}" "${COMMAND}" --base-url ${emulator.url}`;
  return start('script', ['-qec', command, '/dev/null'], { TERM: 'xterm' });
}

// Other systems' `script` takes no command.
(process.platform === 'linux' ? describe : describe.skip)('in a terminal', () => {
  test('asks for the key without showing it, and shows progress and colors', async () => {
    await serve();
    const { child, printed, ended } = inTerminal();
    await printed('API key (not shown):');
    child.stdin!.write(`${KEY}\r`);
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out).not.toContain(KEY.slice(0, 8));
    expect(out).toContain('\x1B[32m✔');
    expect(out).toContain('List of codes …');
  });

  test('Ctrl-C at the prompt exits with 130', async () => {
    await serve();
    const { child, printed, ended } = inTerminal();
    await printed('API key (not shown):');
    child.stdin!.write('half a key\x03');
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(out).not.toContain('half a key');
  });
});

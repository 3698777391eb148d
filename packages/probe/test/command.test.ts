import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import packageJson from '../package.json';
import { HELP } from '../src/cli/help.ts';
import { killStarted, startCommand } from './support/command.ts';

const KEY = 'sk_secret_0123456789';
const SECRET = 'whsec_0123456789';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-'));
});
afterEach(() => {
  killStarted();
  rmSync(folder, { recursive: true });
});

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  startCommand(args, { cwd: folder, env }).ended;

test.each([
  ['--help', HELP],
  ['--version', `${packageJson.version}\n`],
])('%s is printed', async (option, out) => {
  expect(await run([option])).toEqual({ code: 0, out, err: '' });
});

test.each<[string, string[], Record<string, string>, string]>([
  ['a key as an argument', ['--api-key', KEY], {}, 'other users of this machine can see arguments'],
  [
    'no key and no terminal',
    ['--base-url', 'http://127.0.0.1:9'],
    {},
    "QR_SERVICE_API_KEY isn't set, and there is no terminal",
  ],
  ['an invalid base URL', ['--base-url', KEY], { QR_SERVICE_API_KEY: KEY }, "Base URL isn't a valid URL."],
  [
    'a file that is missing',
    ['--replay', 'none.json'],
    { QR_SERVICE_WEBHOOK_SECRET: SECRET },
    "can't be read (ENOENT)",
  ],
])('ends with 2 and one sentence: %s', async (_, args, env, said) => {
  const { code, out, err } = await run(args, env);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^qr-service-probe: .*\n$/);
  expect(err).toContain(said);
  expect(err).not.toContain(KEY);
});

test('ends with 2 when the service cannot be reached, with a report that says so, and writes nothing', async () => {
  const args = ['--base-url', 'http://127.0.0.1:9', '--html', 'report.html'];
  const { code, out } = await run(args, { QR_SERVICE_API_KEY: KEY });
  expect(code).toBe(2);
  expect(out).toContain('✘ The service can be reached');
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['genuine', SECRET, 0, 'The delivery is genuine and readable.'],
  ['changed', 'another', 1, 'The connectors refuse this delivery.'],
])('replays a delivery that is %s', async (_, secret, status, said) => {
  const body = JSON.stringify(sampleEvent('qr.published'));
  const headers = { 'X-Service-Signature': signWebhook({ body, secret, timestamp: 1_790_000_000 }) };
  writeFileSync(join(folder, 'delivery.json'), JSON.stringify({ headers, body }));
  const env = { QR_SERVICE_WEBHOOK_SECRET: SECRET };
  const [text, json] = await Promise.all([
    run(['--replay', 'delivery.json'], env),
    run(['--replay', 'delivery.json', '--json'], env),
  ]);
  expect(text).toMatchObject({ code: status, err: '' });
  expect(text.out).toContain(said);
  expect(JSON.parse(json.out)).toMatchObject({ headline: said });
  expect(text.out + json.out).not.toContain(SECRET);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { signWebhook } from '@qr-service/core/webhook';
import { temporaryFolder } from '../../../test/support/temporaryFolder.ts';
import { runCommand } from '../src/command.ts';
import { Ledger } from '../src/http/Ledger.ts';

const KEY = 'sk_secret_0123456789';
const SECRET = 'whsec_0123456789';
const HOOK = 'https://tunnel.example.com/hook';

/** Runs the command in this process, without a terminal. */
async function run(args: readonly string[], environment: Record<string, string> = {}) {
  let out = '';
  let err = '';
  const code = await runCommand({
    args,
    environment,
    stdin: Object.assign(new PassThrough(), { isTTY: false }),
    stdout: { write: (text: string) => (out += text) },
    stderr: new Writable({ write: (text, _encoding, done) => done(void (err += String(text))) }),
    version: '1.2.3',
    stopped: new AbortController().signal,
    ledger: new Ledger(),
  });
  return { code, out, err };
}

test('prints --version and --help in lines that fit a terminal', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  const { code, out } = await run(['--help']);
  expect(code).toBe(0);
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(115);
});

const NO_SECRETS =
  'Unexpected argument. If it is an API key or a secret, other users of this machine can see it';
const NOWHERE = ['--base-url', 'http://127.0.0.1:9'];

test.each<[args: string[], said: string, env?: Record<string, string>]>([
  [[KEY], NO_SECRETS],
  [['--api-key', KEY], NO_SECRETS],
  [[`--${KEY}`], NO_SECRETS],
  [['--no-write'], 'Unknown option --no-write. See --help.'],
  [['--base-url'], '--base-url needs a value. See --help.'],
  [['--port', '80'], '--port is only used with --webhook.'],
  [['--write', '--webhook', HOOK, '--port', '99999'], '--port must be a number from 0 to 65535.'],
  [['--webhook', HOOK], 'add --write'],
  [['--write', '--webhook', 'https://localhost/'], 'known only on your own network'],
  [['--replay', 'a.json', '--write'], "--write can't be used with --replay"],
  [['--base-url', KEY], "Base URL isn't a valid URL.", { QR_SERVICE_API_KEY: KEY }],
  [NOWHERE, "QR_SERVICE_API_KEY isn't set, and there is no terminal to prompt in."],
  [NOWHERE, 'The API key contains invalid characters', { QR_SERVICE_API_KEY: `${KEY}ë` }],
  [['--replay', '/none/none.json'], "can't be read (ENOENT)", { QR_SERVICE_WEBHOOK_SECRET: SECRET }],
  [['--replay', '/dev/null'], "The --replay file can't be used. The file is empty."],
])('rejects %j in one line that shows no value', async (args, said, env = {}) => {
  const { code, out, err } = await run(args, env);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^qr-service-probe: [^\n]*\n$/);
  expect(err).toContain(said);
  expect(err).not.toContain(KEY);
});

test.each([
  ['genuine', SECRET, 0, '✔ The delivery is genuine and readable.'],
  ['signed with another secret', 'another', 1, '✘ The connectors reject this delivery.'],
])('replays a delivery that is %s', async (_, secret, status, said) => {
  const body = '{"id":"1","type":"qr.published"}';
  const headers = { 'X-Service-Signature': signWebhook({ body, secret, timestamp: 1_790_000_000 }) };
  const file = join(temporaryFolder(), 'delivery.json');
  writeFileSync(file, JSON.stringify({ headers, body }));
  const env = { QR_SERVICE_WEBHOOK_SECRET: SECRET };
  const text = await run(['--replay', file], env);
  const json = await run(['--replay', file, '--json'], env);
  expect(text).toMatchObject({ code: status, err: '' });
  expect(text.out).toContain(said);
  expect(JSON.parse(json.out)).toMatchObject({ headline: said.slice(2) });
  expect(text.out + json.out).not.toContain(SECRET);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signWebhook } from '@qr-service/core/webhook';
import type { TerminalInput } from '../src/cli/askSecret.ts';
import { HELP } from '../src/cli/help.ts';
import { runCommand } from '../src/cli/runCommand.ts';

const KEY = 'sk_secret_0123456789';
const SECRET = 'whsec_0123456789';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the command in this process, without a terminal. */
async function run(args: readonly string[], environment: Record<string, string> = {}) {
  let [out, err] = ['', ''];
  const code = await runCommand({
    args,
    environment,
    stdin: { isTTY: false } as TerminalInput,
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    version: '1.2.3',
    stopped: new AbortController().signal,
  });
  return { code, out, err };
}

test.each([
  ['--help', HELP],
  ['--version', '1.2.3\n'],
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
    ['--replay', join(tmpdir(), 'none', 'none.json')],
    { QR_SERVICE_WEBHOOK_SECRET: SECRET },
    "can't be read (ENOENT)",
  ],
])('ends with 2 and one sentence: %s', async (_, args, env, said) => {
  const { code, out, err } = await run(args, env);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^qr-service-probe: [^\n]*\n$/);
  expect(err).toContain(said);
  expect(err).not.toContain(KEY);
});

test.each([
  ['genuine', SECRET, 0, 'The delivery is genuine and readable.'],
  ['changed', 'another', 1, 'The connectors refuse this delivery.'],
])('replays a delivery that is %s', async (_, secret, status, said) => {
  // Short, as each byte of it is tried.
  const body = '{"id":"1","type":"qr.published"}';
  const headers = { 'X-Service-Signature': signWebhook({ body, secret, timestamp: 1_790_000_000 }) };
  const file = join(folder, 'delivery.json');
  writeFileSync(file, JSON.stringify({ headers, body }));
  const env = { QR_SERVICE_WEBHOOK_SECRET: SECRET };
  const [text, json] = await Promise.all([
    run(['--replay', file], env),
    run(['--replay', file, '--json'], env),
  ]);
  expect(text).toMatchObject({ code: status, err: '' });
  expect(text.out).toContain(said);
  expect(JSON.parse(json.out)).toMatchObject({ headline: said });
  expect(text.out + json.out).not.toContain(SECRET);
});

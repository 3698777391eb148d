import { DEFAULT_WEBHOOK_PORT } from '../src/webhook/receiveDelivery.ts';
import { HELP } from '../src/cli/help.ts';
import { readArguments } from '../src/cli/readArguments.ts';
import { readSettings } from '../src/cli/readSettings.ts';
import { UsageError } from '../src/cli/UsageError.ts';

const KEY = 'sk_secret_0123456789';
const HOOK = 'https://tunnel.example.com/hook';
const NOTHING = { json: false, verbose: false, write: false, shapeFile: 'shape.json' };

test.each([
  [[], NOTHING],
  [['--base-url', 'https://a.example.com'], { ...NOTHING, baseUrl: 'https://a.example.com' }],
  [
    ['--json', '--verbose', '--html=a.html', '--shape', 'b.json'],
    { json: true, verbose: true, write: false, htmlFile: 'a.html', shapeFile: 'b.json' },
  ],
  [
    ['--auth-header', 'api-key', '--header-prefix', 'Acme'],
    { ...NOTHING, authHeader: 'api-key', headerPrefix: 'Acme' },
  ],
  [
    ['--write', '--webhook', HOOK],
    { ...NOTHING, write: true, webhook: { url: HOOK, port: DEFAULT_WEBHOOK_PORT } },
  ],
  [
    ['--write', '--webhook', HOOK, '--port', '0'],
    { ...NOTHING, write: true, webhook: { url: HOOK, port: 0 } },
  ],
])('reads %j', (args, options) => {
  expect(readArguments(args)).toEqual({ kind: 'probe', options });
});

test('reads --replay', () => {
  expect(readArguments(['--replay', 'a.json', '--json'])).toEqual({
    kind: 'replay',
    options: { file: 'a.json', json: true, verbose: false },
  });
});

const NO_SECRETS = 'other users of this machine can see arguments';

test.each([
  [[KEY], NO_SECRETS],
  [['--api-key', KEY], NO_SECRETS],
  [[`--api-key=${KEY}`], NO_SECRETS],
  [['--secret', KEY], NO_SECRETS],
  [[`--${KEY}`], NO_SECRETS],
  [['--json', KEY], NO_SECRETS],
  [['--no-write'], 'There is no option --no-write: see --help.'],
  [['--write=yes'], "--write doesn't take a value"],
  [['--html'], '--html must be followed by a value'],
  [['--html', '--json'], '--html must be followed by a value'],
  [['--json', '--json'], '--json is given twice'],
  [['--port', '80'], '--port is only used with --webhook'],
  [['--webhook', HOOK], 'add --write'],
  [['--write', '--webhook', 'http://tunnel.example.com'], "It doesn't begin with https://"],
  [['--write', '--webhook', 'https://localhost/'], 'known only on your own network'],
  [['--write', '--webhook', HOOK, '--port', '99999'], '--port must be a number from 0 to 65535'],
  [['--replay', 'a.json', '--write'], "--write can't be used with --replay"],
  [['--replay', 'a.json', '--html', 'b'], "--html can't be used with --replay"],
])('refuses %j', (args, message) => {
  const read = () => readArguments(args);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(KEY);
});

const READ = { ...NOTHING, baseUrl: 'https://a.example.com' };

test('the key comes from the environment, or is asked for', async () => {
  const ask = jest.fn(() => Promise.resolve('asked'));
  await expect(readSettings(READ, { QR_SERVICE_API_KEY: ` ${KEY} ` }, ask)).resolves.toMatchObject({
    apiKey: KEY,
  });
  expect(ask).not.toHaveBeenCalled();
  await expect(readSettings(READ, {}, ask)).resolves.toMatchObject({ apiKey: 'asked' });
  await expect(readSettings(READ, {}, undefined)).rejects.toThrow("QR_SERVICE_API_KEY isn't set");
});

test.each([
  [{ ...READ, baseUrl: `http://${KEY}.example.com` }, {}],
  [{ ...READ, baseUrl: KEY }, {}],
  [{ ...READ, authHeader: KEY }, {}],
  [{ ...READ, headerPrefix: `${KEY} ` }, { QR_SERVICE_API_KEY: `${KEY}\u0000` }],
])('refuses invalid settings before it asks, without showing them', async (options, environment) => {
  const ask = jest.fn(() => Promise.resolve(KEY));
  const read = readSettings(options, environment, ask);
  await expect(read).rejects.toThrow(UsageError);
  await expect(read).rejects.not.toThrow(KEY);
  expect(ask).not.toHaveBeenCalled();
});

test('--help lists every option, in lines that fit', () => {
  for (const line of HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  for (const option of HELP.matchAll(/^ {2}--([\w-]+)( [A-Z]+)?/gm)) {
    const [, name = '', value] = option;
    const args = [`--${name}`, ...(value === undefined ? [] : ['1'])];
    expect(() => readArguments(args)).not.toThrow('There is no option');
  }
});

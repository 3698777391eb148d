import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bundle from '../manifest.json' with { type: 'json' };
import registry from '../server.json' with { type: 'json' };
import {
  DEFAULT_HTTP_PORT,
  readArguments,
  readSettings,
  readToken,
  UsageError,
} from '../src/config/config.ts';

const KEY = 'sk_secret_0123456789';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const configFile = (content: unknown) => {
  const path = join(folder, 'config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

/** The message of the error that a function throws. */
function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error('Nothing was thrown.');
}

test.each([
  [[], {}],
  [['--read-only', '--out', 'images'], { readOnly: true, out: 'images' }],
  [
    ['--allow-targets', '*.a.example', '--allow-targets=b.example,c.example'],
    { allowTargets: '*.a.example,b.example,c.example' },
  ],
  [['--http'], { http: DEFAULT_HTTP_PORT }],
  [['--http', '0'], { http: 0 }],
  [['--http=8080'], { http: 8080 }],
  [['--http', '--read-only'], { readOnly: true, http: DEFAULT_HTTP_PORT }],
])('reads the arguments %j', (args, options) => {
  expect(readArguments(args)).toEqual(options);
});

test('what the registry and the MCPB bundle pass on is understood', () => {
  const { args, env } = bundle.server.mcp_config;
  expect(readArguments(args.slice(1))).toEqual({ out: '${user_config.out}' });
  const [entry] = registry.packages;
  const names = [...entry!.packageArguments, ...entry!.environmentVariables].map(({ name }) => name);
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(readArguments(['--help'])).toBeUndefined();
  const help = write.mock.calls.join();
  write.mockRestore();
  for (const name of [...names, ...Object.keys(env)]) expect(help).toContain(name);
});

const NO_SECRETS = 'API keys and tokens are not accepted on the command line';

test.each([
  [['--api-key', KEY], NO_SECRETS],
  [['--token', KEY], NO_SECRETS],
  [[`--${KEY}`], NO_SECRETS],
  [['--read-only', KEY], NO_SECRETS],
  [['--http', KEY], '--http needs a port from 0 to 65535.'],
  [['--verbose'], 'There is an unknown argument. The options are --config, --read-only, '],
  [['--read-only=true'], '--read-only takes no value.'],
  [['--config'], '--config needs a value.'],
  [['--out', '--http', '80'], '--out needs a value.'],
  [['--out', ' '], '--out needs a value.'],
  [['--http', '99999'], '--http needs a port from 0 to 65535.'],
])('refuses the arguments %j', (args, message) => {
  const told = messageOf(() => readArguments(args));
  expect(told).toContain(message);
  expect(told).not.toContain(KEY);
});

test('the command line goes before the environment, that before the file, and all before the defaults', () => {
  const file = configFile({
    apiKey: 'from-file',
    baseUrl: 'https://file.example',
    allowedTargets: ['a.example'],
  });
  const environment = { QR_SERVICE_API_KEY: ` ${KEY} `, QR_SERVICE_BASE_URL: ' ' };
  const settings = {
    apiKey: KEY,
    baseUrl: 'https://file.example',
    authHeader: 'authorization',
    allowedTargets: ['a.example'],
  };
  expect(readSettings(environment, { config: file })).toEqual(settings);
  const limited = { ...environment, QR_SERVICE_ALLOWED_TARGETS: 'b.example' };
  expect(readSettings(limited, { config: file }).allowedTargets).toEqual(['b.example']);
  expect(readSettings(limited, { allowTargets: 'c.example' }).allowedTargets).toEqual(['c.example']);
});

test.each([
  [{}, 'There is no API key.'],
  [{ QR_SERVICE_API_KEY: `${KEY}\n${KEY}` }, 'The API key contains invalid characters.'],
  [{ QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: KEY }, "Base URL isn't a valid URL."],
  [{ QR_SERVICE_API_KEY: '${QR_SERVICE_API_KEY}' }, 'QR_SERVICE_API_KEY contains the name of a variable'],
  [{ QR_SERVICE_API_KEY: `\${env:X:-${KEY}}` }, 'QR_SERVICE_API_KEY contains the name of a variable'],
  [{ QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: 'https://${HOST}' }, 'QR_SERVICE_BASE_URL contains'],
  [{ QR_SERVICE_API_KEY: KEY, QR_SERVICE_AUTH_HEADER: KEY }, 'Send Key In must be one of'],
  [
    { QR_SERVICE_API_KEY: KEY, QR_SERVICE_ALLOWED_TARGETS: `a.example, ${KEY}` },
    'Entry 2 of Allowed Destinations',
  ],
] as [NodeJS.ProcessEnv, string][])('refuses an invalid environment: %#', (environment, message) => {
  const told = messageOf(() => readSettings(environment));
  expect(told).toContain(message);
  expect(told).not.toContain(KEY);
});

test.each([
  [`{"apiKey": "${KEY}"`, 'must contain a JSON object'],
  [[KEY], 'must contain a JSON object'],
  [{ apiKey: KEY, token: KEY }, 'has unknown fields'],
  [{ apiKey: { value: KEY } }, 'API Key must be text'],
  [{ apiKey: '' }, 'There is no API key.'],
])('refuses an invalid file: %#', (content, message) => {
  const told = messageOf(() => readSettings({}, { config: configFile(content) }));
  expect(told).toContain(message);
  expect(told).not.toContain(KEY);
});

test('refuses a file that is not there', () => {
  const config = join(folder, 'none');
  expect(messageOf(() => readSettings({}, { config }))).toContain("can't be read (ENOENT)");
});

test.each([
  ['shorter than 16 characters', 'short-token', 'must have at least 16 characters'],
  ['with an umlaut', 'tokän-of-the-tests-0123456789', 'must have at least 16 characters'],
  ['that a client did not expand', '${QR_SERVICE_MCP_TOKEN}', 'contains the name of a variable'],
])('refuses a token %s, without showing it', (_name, token, reason) => {
  const told = messageOf(() => readToken({ QR_SERVICE_MCP_TOKEN: token }));
  expect(told).toContain(`QR_SERVICE_MCP_TOKEN ${reason}`);
  expect(told).not.toContain(token);
});

test('makes a new token if there is none', () => {
  const { value, isNew } = readToken({});
  expect({ value, isNew }).toEqual({ value: expect.stringMatching(/^[\w-]{43}$/) as string, isNew: true });
  expect(readToken({}).value).not.toBe(value);
});

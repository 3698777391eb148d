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

/** Expects a UsageError with these words, which shows no value. */
function expectUsageError(read: () => unknown, words: string): void {
  expect(read).toThrow(UsageError);
  expect(read).toThrow(words);
  expect(read).not.toThrow(/sk_secret/);
}

test.each([
  [[], {}],
  [['--read-only', '--out', 'images'], { readOnly: true, out: 'images' }],
  [['--allow-targets', '*.a.example', '--allow-targets=b,c'], { allowTargets: '*.a.example,b,c' }],
  [['--http'], { http: DEFAULT_HTTP_PORT }],
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

test.each([
  [['--api-key', KEY], 'API keys and tokens are not accepted on the command line'],
  [['--read-only', KEY], 'API keys and tokens are not accepted on the command line'],
  [[`--${KEY}`], 'There is an unknown argument. The options are --config, --read-only, '],
  [['--read-only=true'], '--read-only takes no value.'],
  [['--out', '--http', '80'], '--out needs a value.'],
  [['--out', ' '], '--out needs a value.'],
  [['--http', KEY], '--http needs a port from 0 to 65535.'],
  [['--http', '99999'], '--http needs a port from 0 to 65535.'],
])('refuses the arguments %j', (args, words) => {
  expectUsageError(() => readArguments(args), words);
});

test('the command line goes before the environment, that before the file, and all before the defaults', () => {
  const file = { apiKey: 'from-file', baseUrl: 'https://file.example', allowedTargets: ['a.example'] };
  const environment = { QR_SERVICE_API_KEY: ` ${KEY} `, QR_SERVICE_BASE_URL: ' ' };
  const config = configFile(file);
  const expected = { ...file, apiKey: KEY, authHeader: 'authorization' };
  expect(readSettings(environment, { config })).toMatchObject(expected);
  const limited = { ...environment, QR_SERVICE_ALLOWED_TARGETS: 'b.example' };
  expect(readSettings(limited, { config }).allowedTargets).toEqual(['b.example']);
  expect(readSettings(limited, { allowTargets: 'c.example' }).allowedTargets).toEqual(['c.example']);
});

test.each<[environment: NodeJS.ProcessEnv, file: unknown, words: string]>([
  [{}, undefined, 'There is no API key.'],
  [{ QR_SERVICE_API_KEY: `${KEY}\n${KEY}` }, undefined, 'The API key contains invalid characters.'],
  [{ QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: KEY }, undefined, "Base URL isn't a valid URL."],
  [{ QR_SERVICE_API_KEY: '${KEY}' }, undefined, 'QR_SERVICE_API_KEY contains the name of a variable'],
  [{ QR_SERVICE_API_KEY: `\${env:X:-${KEY}}` }, undefined, 'QR_SERVICE_API_KEY contains the name'],
  [{ QR_SERVICE_API_KEY: '%KEY%' }, undefined, 'QR_SERVICE_API_KEY contains the name of a variable'],
  [{}, `{"apiKey": "${KEY}"`, 'must contain a JSON object'],
  [{}, [KEY], 'must contain a JSON object'],
  [{}, { apiKey: KEY, token: KEY }, 'has unknown fields'],
  [{}, { apiKey: { value: KEY } }, 'API Key must be text'],
  [{}, { apiKey: '' }, 'There is no API key.'],
])('refuses an invalid environment or file: %#', (environment, file, words) => {
  const options = file === undefined ? {} : { config: configFile(file) };
  expectUsageError(() => readSettings(environment, options), words);
});

test('refuses a file that is not there', () => {
  expectUsageError(() => readSettings({}, { config: join(folder, 'none') }), "can't be read (ENOENT)");
});

test.each([
  ['shorter than 16 characters', 'sk_secret', 'must have at least 16 characters'],
  ['with an umlaut', 'sk_secret_tokän-0123456789', 'must have at least 16 characters'],
  ['that a client did not expand', '${sk_secret_TOKEN}', 'contains the name of a variable'],
])('refuses a token %s', (_what, token, words) => {
  expectUsageError(() => readToken({ QR_SERVICE_MCP_TOKEN: token }), `QR_SERVICE_MCP_TOKEN ${words}`);
});

test('makes a new token if there is none', () => {
  const { value, isNew } = readToken({});
  expect({ value, isNew }).toEqual({ value: expect.stringMatching(/^[\w-]{43}$/) as string, isNew: true });
  expect(readToken({}).value).not.toBe(value);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import bundle from '../manifest.json' with { type: 'json' };
import registry from '../server.json' with { type: 'json' };
import * as config from '../src/config/config.ts';

const { DEFAULT_HTTP_PORT, readArguments, readSettings, readToken, UsageError } = config;

const KEY = 'sk_secret_0123456789';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const configFile = (content: unknown) => {
  const path = join(folder, 'config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

test.each([
  [[], {}],
  [['--read-only', '--out', 'images'], { readOnly: true, out: 'images' }],
  [['--allow-targets', '*.a.example', '--allow-targets=b,c'], { allowTargets: '*.a.example,b,c' }],
  [['--http'], { http: DEFAULT_HTTP_PORT }],
  [['--http', '--read-only'], { readOnly: true, http: DEFAULT_HTTP_PORT }],
])('reads the arguments %j', (args, options) => {
  expect(readArguments(args)).toEqual(options);
});

const HOME = join(homedir(), 'qr');

/** What no shell has replaced would become the name of a folder. */
describe.each(['out', 'config'] as const)('the path after --%s', (option) => {
  test.each([
    '$HOME/qr',
    '/home/$USER/qr',
    '${workspaceFolder}/qr',
    '/qr/${env:NAME}',
    '$env:USERPROFILE\\qr',
  ])('must not have a variable: %s', (path) => {
    const read = () => readArguments([`--${option}`, path]);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(`--${option} has a variable or quotes, which nothing replaces. Write out the path.`);
    expect(read).not.toThrow(path);
  });

  test.each(['%USERPROFILE%\\qr', 'C:\\Users\\%USERNAME%\\qr', '"/home/jo/qr"', "'~/qr'"])(
    'must not have a variable of Windows or quotes: %s',
    (path) => expect(() => readArguments([`--${option}`, path])).toThrow('variable or quotes'),
  );

  test.each([
    ['~/qr', HOME],
    ['~\\qr', `${homedir()}\\qr`],
    ['~', homedir()],
    ...[
      '~jo/qr',
      'a~/qr',
      'qr',
      './qr',
      'C:\\Users\\Jo Doe\\qr',
      '/srv/$1/qr',
      '/srv/cash$',
      '100%',
      "'s-Gravenhage",
    ].map((path) => [path, path]),
  ])('may be %s', (given, path) => expect(readArguments([`--${option}`, given])).toEqual({ [option]: path }));
});

test('accepts the arguments and variables that the registry and the MCPB bundle pass', () => {
  const { args, env } = bundle.server.mcp_config;
  const given = args.slice(1).map((arg) => arg.replace('${user_config.out}', '/home/jo/qr-codes'));
  expect(readArguments(given)).toEqual({ out: '/home/jo/qr-codes' });
  const [entry] = registry.packages;
  const names = [...entry!.packageArguments!, ...entry!.environmentVariables!].map(({ name }) => name);
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(readArguments(['--help'])).toBeUndefined();
  const help = write.mock.calls.join();
  write.mockRestore();
  for (const name of [...names, ...Object.keys(env)]) expect(help).toContain(name);
});

test('prefers the command line to the environment, that to the file, and the file to the defaults', () => {
  const file = { apiKey: 'from-file', baseUrl: 'https://file.example', allowedTargets: ['a.example'] };
  const environment = { QR_SERVICE_API_KEY: ` ${KEY} `, QR_SERVICE_BASE_URL: ' ' };
  const config = configFile(file);
  const expected = { ...file, apiKey: KEY, authHeader: 'authorization' };
  expect(readSettings(environment, { config })).toMatchObject(expected);
  const limited = { ...environment, QR_SERVICE_ALLOWED_TARGETS: 'b.example' };
  expect(readSettings(limited, { config }).allowedTargets).toEqual(['b.example']);
  expect(readSettings(limited, { allowTargets: 'c.example' }).allowedTargets).toEqual(['c.example']);
});

const argument = (...args: string[]) => readArguments(args);
const variables = (environment: NodeJS.ProcessEnv) => readSettings(environment, {});
const file = (content: unknown) => readSettings({}, { config: configFile(content) });
const token = (QR_SERVICE_MCP_TOKEN: string) => readToken({ QR_SERVICE_MCP_TOKEN });

test.each<[words: string, read: () => unknown]>([
  ['API keys and tokens are not accepted on the command line', () => argument('--api-key', KEY)],
  ['API keys and tokens are not accepted on the command line', () => argument('--read-only', KEY)],
  ['such as ~/qr-codes. The options are --config, --read-only, ', () => argument(`--${KEY}`)],
  [
    'If it is part of a path with spaces, use one without',
    () => argument('--out', 'C:\\Users\\Jo', 'Doe\\qr'),
  ],
  ['--read-only takes no value.', () => argument('--read-only=true')],
  ['--out needs a value.', () => argument('--out', '--http', '80')],
  ['--http needs a port from 0 to 65535.', () => argument('--http', '99999')],
  ['--http needs a port from 0 to 65535.', () => argument('--http', KEY)],
  ['There is no API key.', () => variables({})],
  ['The API key contains invalid characters.', () => variables({ QR_SERVICE_API_KEY: `${KEY}\n${KEY}` })],
  ["Base URL isn't a valid URL.", () => variables({ QR_SERVICE_API_KEY: KEY, QR_SERVICE_BASE_URL: KEY })],
  ['QR_SERVICE_API_KEY contains the name of a v', () => variables({ QR_SERVICE_API_KEY: '${KEY}' })],
  ['_KEY contains the name of a variable', () => variables({ QR_SERVICE_API_KEY: `\${env:X:-${KEY}}` })],
  ['must contain a JSON object', () => file(`{"apiKey": "${KEY}"`)],
  ['must contain a JSON object', () => file([KEY])],
  ['has unknown fields', () => file({ apiKey: KEY, token: KEY })],
  ['API Key must be text', () => file({ apiKey: { value: KEY } })],
  ["can't be read (ENOENT)", () => readSettings({}, { config: join(folder, 'none') })],
  ['QR_SERVICE_MCP_TOKEN must have at least 16 characters', () => token('sk_secret')],
  ['QR_SERVICE_MCP_TOKEN must have at least 16 characters', () => token('sk_secret_tokän-0123456789')],
  ['QR_SERVICE_MCP_TOKEN contains the name of a variable', () => token('${sk_secret_TOKEN}')],
])('an error about an option shows no value: %s', (words, read) => {
  expect(read).toThrow(UsageError);
  expect(read).toThrow(words);
  expect(read).not.toThrow(/sk_secret/);
});

test('makes a new token if there is none', () => {
  const { value, isNew } = readToken({});
  expect({ value, isNew }).toEqual({ value: expect.stringMatching(/^[\w-]{43}$/) as string, isNew: true });
  expect(readToken({}).value).not.toBe(value);
});

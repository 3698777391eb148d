import { readFileSync } from 'node:fs';
import { QrServiceClient } from '@qr-service/core';
import { ERROR_CODES, RESPONSE_LIMITS } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { CORE } from './support/examples.ts';

const read = (file: string) => readFileSync(CORE + file, 'utf8');
const readme = read('README.md');
const missing = (names: readonly string[]) =>
  names.filter((name) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(readme));

it.each([
  ['ClientOptions', 'src/client/configuration.ts'],
  ['VerifyInput', 'src/webhook/verifyWebhook.ts'],
])('the README for library users names every option of %s', (name, file) => {
  const [, body = ''] = new RegExp(`^export interface ${name} \\{$(.*?)^\\}$`, 'ms').exec(read(file)) ?? [];
  const options = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, option = '']) => option);
  expect(options.length).toBeGreaterThan(3);
  expect(missing(options)).toEqual([]);
});

it('the README for library users names every entry point', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: object };
  const paths = Object.keys(exports).filter((path) => path !== './package.json');
  expect(missing(paths.map((path) => `@qr-service/core${path.slice(1)}`))).toEqual([]);
});

it('the README for library users names every method of the client', () => {
  const connection = { baseUrl: 'https://qr.example', apiKey: 'key', transport: undiciTransport() };
  const client = new QrServiceClient(connection);
  const methodsOf = (value: object) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(value)).filter((name) => name !== 'constructor');
  const parts = Object.entries(client).flatMap(([part, value]: [string, object]) =>
    methodsOf(value).map((name) => `${part}.${name}`),
  );
  const names = [...methodsOf(client), ...parts];
  expect(names).toEqual(expect.arrayContaining(['me', 'qr.create', 'webhooks.unsubscribe', 'rateLimit']));
  expect(missing(names)).toEqual([]);
});

it.each(Object.entries(ERROR_CODES))(
  'the README for library users explains how to handle %s',
  (code, { status }) => expect(readme).toMatch(new RegExp(`\\| ${status} +\\| \`${code}\``)),
);

it('the details of the core state the limits of a response', () => {
  const { jsonBytes, imageBytes, failureBytes, jsonLevels, cursorLength, emptyPages } = RESPONSE_LIMITS;
  const sizes = [jsonBytes, imageBytes, failureBytes].map((bytes) => `${bytes / 1e6} MB`);
  const counts = [`${jsonLevels} levels`, `${cursorLength.toLocaleString('en')} characters`];
  const pages = emptyPages.toLocaleString('en');
  const bounds = read('../docs/core.md').split('## Bounds')[1]!.split('\n## ', 1)[0]!;
  expect([...sizes, ...counts, pages].filter((limit) => !bounds.includes(`| ${limit}`))).toEqual([]);
});

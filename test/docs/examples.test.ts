import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { QrServiceClient } from '@qr-service/core';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import { transformSync } from '@swc/core';
import { startEmulator, type Emulator, type Seed } from 'qr-service-emulator';
import { blocksOf, DOCSTRING_EXAMPLES } from './examples.ts';

const SECRET = 'a secret';
const BODY = JSON.stringify(sampleEvent('qr.created'));

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.stop());

const signed = (secret = SECRET) => ({
  'X-Service-Signature': signWebhook({ body: BODY, secret, timestamp: Math.floor(Date.now() / 1000) }),
});

/** Runs an example against the emulator. Returns the lines that it prints, and the server that it starts. */
async function run(code: string): Promise<{ printed: string[]; server?: Server }> {
  const { url: baseUrl, apiKey } = emulator;
  const printed: string[] = [];
  const print = (...values: unknown[]) =>
    printed.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  const env = { QR_SERVICE_API_KEY: apiKey, WEBHOOK_SECRET: SECRET, PORT: '0' };
  const client = new QrServiceClient({ baseUrl, apiKey });
  const host = { console: { log: print }, require, exports: {}, process: { env } };
  const request = { secret: SECRET, rawBody: BODY, headers: signed() };
  const given = { client, baseUrl, apiKey, ...request, ...host };
  const local = code
    .replaceAll(/from '\.\//g, `from '${join(__dirname, '../..')}/`)
    // The default is the real service.
    .replaceAll('new QrServiceClient({', 'new QrServiceClient({ baseUrl,');
  const { code: compiled } = transformSync(local, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
  });
  const { constructor: AsyncFunction } = Object.getPrototypeOf(run) as {
    constructor: new (...text: string[]) => (...values: unknown[]) => Promise<Server | undefined>;
  };
  // In its own block, as an example may declare one of the given names.
  const body = `{ ${compiled}; return typeof server === 'undefined' ? undefined : server; }`;
  const server = await new AsyncFunction(...Object.keys(given), body)(...Object.values(given));
  return server === undefined ? { printed } : { printed, server };
}

it.each(DOCSTRING_EXAMPLES)('the example at %s runs, with the results in its comments', async (_at, code) => {
  const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, result]) => result);
  const { printed } = await run(code);
  expect(expected.length === 0 ? [] : printed).toEqual(expected);
});

const OF_READMES = [...blocksOf('README.md', 'ts'), ...blocksOf('shared/README.md', 'js')];
const isReceiver = ([, code]: [string, string]) => code.includes('createServer');

it.each(OF_READMES.filter((example) => !isReceiver(example)))('%s runs', async (_at, code) => {
  const { printed } = await run(code);
  expect(printed.length > 0).toBe(code.includes('console.log('));
});

it.each(OF_READMES.filter(isReceiver))('%s accepts only genuine deliveries', async (_at, code) => {
  const { printed, server } = await run(code);
  const { port } = server!.address() as AddressInfo;
  const statusFor = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: BODY, headers })).status;
  expect([await statusFor(signed('another')), await statusFor(signed())]).toEqual([401, 204]);
  expect(printed).toEqual([expect.stringContaining('evt_sample_qr_created qr.created')]);
  server!.close();
});

const EMULATOR = 'packages/emulator/README.md';

// The README's example of a test, which tests itself.
const [, EXAMPLE_TEST] = blocksOf(EMULATOR, 'js').find(([, code]) => code.includes('test('))!;
const IMPORT = "import { startEmulator } from 'qr-service-emulator';";
// oxlint-disable-next-line typescript/no-implied-eval -- the code is the README's own
const define = new Function('startEmulator', EXAMPLE_TEST.replace(IMPORT, '')) as (start: unknown) => void;
define(startEmulator);

it("the seed and the requests of the emulator's README can be used", async () => {
  expect(EXAMPLE_TEST).toContain(IMPORT);
  const [, seed] = blocksOf(EMULATOR, 'json')[0]!;
  const service = await startEmulator({ seed: JSON.parse(seed) as Seed });
  expect(service.control.subscriptions()).toMatchObject([{ secret: 'whsec_known' }]);
  const text = readFileSync(join(__dirname, '../..', EMULATOR), 'utf8');
  const requests = [...text.matchAll(/^curl localhost:4010(\/\S+)(?: -d '(.*)')?$/gm)];
  expect(requests.length).toBeGreaterThan(1);
  for (const [command, path = '', body = ''] of requests)
    expect([command, (await fetch(service.url + path, { method: 'POST', body })).ok]).toEqual([
      command,
      true,
    ]);
  await service.stop();
});

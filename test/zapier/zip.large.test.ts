import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startPlatform, type ZapierPlatform } from '../../engines/zapier/platform.ts';
import type { HookRequest } from '../../engines/zapier/index.ts';
import { unzip } from '../../scripts/zapier/cli.ts';
import { installTool } from '../../scripts/tools/install.ts';
import { nextRequest, nowSeconds, signedAnew } from './support/deliveries.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

const run = promisify(execFile);
const root = path.join(__dirname, '../..');
const packageFolder = path.join(root, 'packages/zapier-qr-service');
const zip = path.join(packageFolder, 'build/build.zip');
const bundleIn = (unpacked: string) => path.join(unpacked, 'dist/index.js');

let folder: string;
let world: World;
let platform: ZapierPlatform;
beforeAll(() => installTool('zapier-cli'), 600_000);
beforeAll(async () => {
  [world, platform] = await Promise.all([startWorld(), startPlatform()]);
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'zapier-zip-')));
  await run('npm', ['run', '--silent', 'zapier', '--', 'build'], { cwd: root });
  await unzip(zip, folder);
});
afterAll(async () => {
  await Promise.all([world.close(), platform.close(), rm(folder, { recursive: true, force: true })]);
});

/** Passes an event to the zip's own handler, as Zapier does, and prints the result. */
const HANDLE = `
  import { handler } from './zapierwrapper.js';
  console.console = () => undefined;
  const { results } = await handler({ ...JSON.parse(process.env.EVENT), customLogger: () => undefined });
  process.stdout.write(JSON.stringify(results));
`;

/** Runs a method of the unpacked app in a separate process. */
async function runUnpacked(method: string, bundle: Record<string, unknown>): Promise<unknown> {
  const event = {
    command: 'execute',
    method,
    calledFromCli: true,
    rpc_base: platform.rpcUrl,
    bundle: {
      authData: { apiKey: world.emulator.apiKey, baseUrl: world.emulator.url },
      inputData: {},
      meta: {},
      ...bundle,
    },
  };
  const env = { EVENT: JSON.stringify(event), ZAPIER_DEPLOY_KEY: 'of-a-test' };
  const args = ['--input-type=module', '--eval', HANDLE];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env });
  return JSON.parse(stdout);
}

const create = (name: string) =>
  runUnpacked('creates.create_qr_code.operation.perform', {
    inputData: { name, targetUrl: 'https://example.com', publishNow: true },
  }) as Promise<Record<string, unknown>>;

test('the zip is below 700 kB and contains only what the app needs', async () => {
  expect((await stat(zip)).size).toBeLessThan(700_000);
  const inZip = await readdir(folder);
  expect(inZip.sort()).toEqual([
    'definition.json',
    'dist',
    'node_modules',
    'package.json',
    'zapierwrapper.js',
  ]);
});

test("Zapier's own push is rejected, as it would upload a private build", async () => {
  await expect(run('npm', ['run', '--silent', 'zapier', '--', 'push'], { cwd: root })).rejects.toMatchObject({
    stderr: expect.stringContaining('npm run zapier:release -- preview'),
  });
});

test('a public build has the public bundle, and its source archive only sources', async () => {
  const unpacked = await mkdtemp(path.join(tmpdir(), 'zapier-public-'));
  const bundle = path.join(unpacked, 'expected.js');
  await run('npm', ['run', '--silent', 'zapier', '--', 'build', '--public'], { cwd: root });
  await run(process.execPath, [path.join(packageFolder, 'build.mjs'), '--public', bundle]);
  await unzip(zip, path.join(unpacked, 'build'));
  await unzip(path.join(path.dirname(zip), 'source.zip'), path.join(unpacked, 'source'));
  const [expected, privateBundle, ...inZips] = await Promise.all(
    [bundle, ...[folder, path.join(unpacked, 'build'), path.join(unpacked, 'source')].map(bundleIn)].map(
      (file) => readFile(file, 'utf8'),
    ),
  );
  const sources = (await readdir(path.join(unpacked, 'source'), { recursive: true })).sort();
  await rm(unpacked, { recursive: true });

  expect(inZips).toEqual([expected, expected]);
  expect(privateBundle).not.toBe(expected);
  expect(sources.filter((file) => !/^src\b/.test(file))).toEqual([
    '.gitignore',
    'LICENSE',
    'README.md',
    'dist',
    'dist/index.js',
    'package.json',
  ]);
  expect(sources.filter((file) => /\.test\.|\/\./.test(file))).toEqual([]);
});

test('a create run from the zip publishes a code', async () => {
  expect(await create('From the zip')).toMatchObject({ name: 'From the zip', status: 'published' });
  expect(await world.engine.search('find_qr_code', { value: 'From the zip' })).toHaveLength(1);
});

test('a hook run from the zip subscribes, accepts a signed delivery once and rejects a forged one', async () => {
  const operation = 'triggers.qr_published.operation';
  const subscribeData = (await runUnpacked(`${operation}.performSubscribe`, {
    targetUrl: HOOK_URL,
  })) as Record<string, unknown>;
  expect(Object.keys(subscribeData).sort()).toEqual(['id', 'secret']);
  const code = await create('Delivered');
  const delivery = await nextRequest(world, 0);
  const receive = ({ headers, rawBody }: HookRequest) =>
    runUnpacked(`${operation}.perform`, {
      subscribeData,
      rawRequest: { method: 'POST', querystring: '', headers, content: rawBody },
      cleanedRequest: {},
    });

  expect(await receive(signedAnew(delivery, 'forged', nowSeconds()))).toEqual([]);
  expect(await receive(delivery)).toMatchObject([{ qrId: code['id'], status: 'published' }]);
  expect(await receive(delivery)).toEqual([]);
});

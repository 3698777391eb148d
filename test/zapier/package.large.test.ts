import { execFile } from 'node:child_process';
import {
  copyFile,
  cp,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };
import type { HookRequest } from '../../engines/zapier/hook.ts';
import { startPlatform, type ZapierPlatform } from '../../engines/zapier/platform.ts';
import { installTool } from '../../scripts/tools/install.ts';
import { APP_FOLDER } from '../../scripts/zapier/app.ts';
import { unzip, zapierCommand } from '../../scripts/zapier/cli.ts';
import { nextRequest, nowSeconds, signedAnew } from './support/deliveries.ts';
import { HOOK_URL, startService, type Service } from './support/service.ts';

const run = promisify(execFile);
const ROOT = path.join(__dirname, '../..');
const BUNDLE = path.join(APP_FOLDER, 'dist/index.js');
const ZIP = path.join(APP_FOLDER, 'build/build.zip');

/** Runs code as an ES module in a process of its own, and returns what it prints as its last line. */
async function evaluate(code: string, cwd: string, env: Record<string, string> = {}): Promise<unknown> {
  const args = ['--input-type=module', '--eval', code];
  const { stdout, stderr } = await run(process.execPath, args, { cwd, env: { ...process.env, ...env } });
  expect(stderr).toBe('');
  // Without Zapier's cache, a step logs a line first.
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

const zapier = (...args: string[]) => run('npm', ['run', '--silent', 'zapier', '--', ...args], { cwd: ROOT });

let service: Service;
let platform: ZapierPlatform;
/** With the unpacked public zip, its source archive, and the app for Zapier's CLI. */
let folders: { zip: string; source: string; cli: string };
beforeAll(() => installTool('zapier-cli'), 600_000);
beforeAll(async () => {
  [service, platform] = await Promise.all([startService(), startPlatform()]);
  const temporary = async (name: string) => realpath(await mkdtemp(path.join(tmpdir(), `zapier-${name}-`)));
  folders = {
    zip: await temporary('zip'),
    source: await temporary('source'),
    cli: await temporary('cli'),
  };
  await run(process.execPath, ['scripts/zapier/main.ts', 'build', '--public'], { cwd: ROOT });
  await unzip(ZIP, folders.zip);
  await unzip(path.join(path.dirname(ZIP), 'source.zip'), folders.source);
  await symlink(path.join(ROOT, 'node_modules'), path.join(folders.cli, 'node_modules'));
  for (const name of ['package.json', 'dist'])
    await cp(path.join(APP_FOLDER, name), path.join(folders.cli, name), { recursive: true });
}, 600_000);
afterAll(async () => {
  const removed = Object.values(folders).map((folder) => rm(folder, { recursive: true, force: true }));
  await Promise.all([service.close(), platform.close(), ...removed]);
});

describe('the bundle', () => {
  test.each([
    ['import', "import app from 'zapier-qr-service'; import zapier from 'zapier-platform-core';"],
    [
      'require',
      `import { createRequire } from 'node:module';
       const require = createRequire(process.cwd() + '/x.cjs');
       const zapier = require('zapier-platform-core');
       const app = require('zapier-qr-service').default;`,
    ],
  ])('loads with plain %s and is valid', async (_how, load) => {
    const code = `${load}
      const validation = await zapier.createAppHandler(app)({ command: 'validate', calledFromCli: true, bundle: {} });
      console.log(JSON.stringify({ version: app.version, found: validation.results }));`;
    expect(await evaluate(code, APP_FOLDER)).toEqual({ version: packageJson.version, found: [] });
  });

  test('contains only the app and the core, and imports only what a cold start can afford', async () => {
    expect((await stat(BUNDLE)).size).toBeLessThan(102_000);
    // Importing node:http takes 25 ms, and formatting a number for a locale takes 4 ms.
    const bundle = await readFile(BUNDLE, 'utf8');
    const imported = [...bundle.matchAll(/\bfrom"([^"]+)"/g)].map(([, module]) => module);
    const affordable = ['node:crypto', 'node:timers/promises', 'zapier-platform-core'];
    expect([...new Set(imported)].sort()).toEqual(affordable);
    expect(bundle).not.toContain('toLocaleString');
  });

  /** Tests connections to these URLs, where nothing listens. Prints the errors and the app's definition. */
  const CONNECT = `
    Math.random = () => 0; // Retries don't wait.
    const { default: zapier } = await import('zapier-platform-core');
    const { default: app } = await import(process.cwd() + '/dist/index.js');
    const handle = zapier.createAppHandler(app);
    const test = (baseUrl) => handle({
      command: 'execute', method: 'authentication.test', calledFromCli: true, customLogger: () => undefined,
      bundle: { authData: { apiKey: 'qrs_key', baseUrl }, inputData: {}, meta: {} },
    }).then(() => 'connected', ({ message }) => JSON.parse(message).message);
    const { results: definition } = await handle({ command: 'definition', calledFromCli: true });
    const errors = await Promise.all(JSON.parse(process.env.URLS).map(test));
    console.log(JSON.stringify({ errors, definition: JSON.stringify(definition) }));
  `;
  const LOCAL = ['http://localhost:9', ' HTTP://127.0.0.1:9 ', 'http:\\\\[::1]:9', 'http://nas.local:9'];
  const ELSEWHERE = ['http://api.example.com', 'ftp://localhost'];
  const connectTo = async (folder: string, urls: readonly string[]) =>
    (await evaluate(CONNECT, folder, { URLS: JSON.stringify(urls) })) as {
      errors: string[];
      definition: string;
    };

  test('of a private build accepts local base URLs without https', async () => {
    const { errors } = await connectTo(APP_FOLDER, [...LOCAL, ...ELSEWHERE]);
    const refused: unknown = expect.stringMatching(/^Base URL must start with https:\/\/\..*localhost/);
    expect(errors).toEqual([
      ...LOCAL.map(() => expect.stringMatching(/could not be reached/)),
      ...ELSEWHERE.map(() => refused),
    ]);
  });

  test('of a public build requires https, and never mentions localhost', async () => {
    const urls = [...LOCAL, ...ELSEWHERE, 'https://127.0.0.1:9', 'nonsense'];
    const { errors, definition } = await connectTo(folders.zip, urls);
    const refused =
      'Base URL must start with https://. Change it in the connection. Otherwise others could read the API key.';
    expect(errors).toEqual([
      ...[...LOCAL, ...ELSEWHERE].map(() => refused),
      expect.stringMatching(/^127\.0\.0\.1:9 could not be reached/),
      expect.stringMatching(/^Base URL isn't a valid URL\. Expected/),
    ]);
    expect(definition).toMatch(/Base URL/);
    expect(`${errors.join()} ${definition}`).not.toMatch(/localhost|http:/);
  });
});

describe('the zip', () => {
  /** Runs methods of the unpacked app in its own handler, one by one in a new process, as Zapier does. */
  async function runUnpacked(...runs: [method: string, bundle: object][]) {
    const authData = { apiKey: service.emulator.apiKey, baseUrl: service.emulator.url };
    const events = runs.map(([method, bundle]) => ({
      command: 'execute',
      method,
      calledFromCli: true,
      rpc_base: platform.rpcUrl,
      bundle: { authData, inputData: {}, meta: {}, ...bundle },
    }));
    const code = `
      import { handler } from './zapierwrapper.js';
      console.console = () => undefined;
      const all = [];
      for (const event of JSON.parse(process.env.EVENTS))
        all.push((await handler({ ...event, customLogger: () => undefined })).results);
      console.log(JSON.stringify(all));
    `;
    const env = { EVENTS: JSON.stringify(events), ZAPIER_DEPLOY_KEY: 'of-a-test' };
    return (await evaluate(code, folders.zip, env)) as Record<string, unknown>[];
  }

  test('is below 700 kB and contains only what the app needs', async () => {
    expect((await stat(ZIP)).size).toBeLessThan(700_000);
    const needed = ['definition.json', 'dist', 'node_modules', 'package.json', 'zapierwrapper.js'];
    expect((await readdir(folders.zip)).sort()).toEqual(needed);
  });

  test('has the same bundle as its source archive, which contains only sources besides', async () => {
    const [bundle, archived] = await Promise.all(
      [folders.zip, folders.source].map((folder) => readFile(path.join(folder, 'dist/index.js'), 'utf8')),
    );
    expect(archived === bundle).toBe(true);
    const sources = (await readdir(folders.source, { recursive: true })).sort();
    const besides = ['.gitignore', 'LICENSE', 'README.md', 'dist', 'dist/index.js', 'package.json'];
    expect(sources.filter((file) => !/^src\b/.test(file))).toEqual(besides);
    expect(sources.filter((file) => /\.test\.|\/\./.test(file))).toEqual([]);
  });

  test('runs: a create publishes a code, and a hook accepts a signed delivery once and no forged one', async () => {
    // The private bundle accepts the emulator, which is at http://localhost.
    await copyFile(BUNDLE, path.join(folders.zip, 'dist/index.js'));
    const operation = 'triggers.qr_published.operation';
    const inputData = { name: 'From the zip', targetUrl: 'https://example.com', publishNow: true };
    const [subscribeData, code] = await runUnpacked(
      [`${operation}.performSubscribe`, { targetUrl: HOOK_URL }],
      ['creates.create_qr_code.operation.perform', { inputData }],
    );
    expect(Object.keys(subscribeData!).sort()).toEqual(['id', 'secret']);
    expect(code).toMatchObject({ name: 'From the zip', status: 'published' });
    const delivery = await nextRequest(service, 0);
    const receive = (...deliveries: HookRequest[]) =>
      runUnpacked(
        ...deliveries.map(({ headers, rawBody }): [string, object] => {
          const rawRequest = { method: 'POST', querystring: '', headers, content: rawBody };
          return [`${operation}.perform`, { subscribeData, rawRequest, cleanedRequest: {} }];
        }),
      );
    const received = await receive(signedAnew(delivery, 'forged', nowSeconds()), delivery);
    expect(received).toMatchObject([[], [{ qrId: code!['id'], status: 'published' }]]);
    // In another process, as Zapier's cache remembers the delivery.
    expect(await receive(delivery)).toEqual([[]]);
  });
});

describe("Zapier's CLI", () => {
  /** Fills in `.env.example`, and runs a command. */
  async function invoke(apiKey: string, ...args: string[]) {
    const example = await readFile(path.join(APP_FOLDER, '.env.example'), 'utf8');
    const env = example
      .replace(/^authData_apiKey=.*$/m, `authData_apiKey=${apiKey}`)
      .replace(/^authData_baseUrl=.*$/m, `authData_baseUrl=${service.emulator.url}`);
    await writeFile(path.join(folders.cli, '.env'), env);
    return zapierCommand(folders.cli, ['invoke', ...args, '--non-interactive']);
  }
  async function invoked(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await invoke(service.emulator.apiKey, ...args);
    if (code !== 0) throw new Error(`${stdout}\n${stderr}`);
    return JSON.parse(stdout);
  }

  test("refuses Zapier's own push, which would upload the private bundle", async () => {
    await expect(zapier('push')).rejects.toMatchObject({
      stderr: expect.stringContaining('npm run zapier -- build --public'),
    });
  });

  test('tests the connection in .env, and runs a create', async () => {
    const { id, name } = service.emulator.workspace;
    expect(await invoked('auth', 'test')).toMatchObject({ workspaceId: id, workspaceName: name });
    const input = { name: 'Door', targetUrl: 'https://example.com', publishNow: 'true' };
    const created = await invoked('create', 'create_qr_code', '-i', JSON.stringify(input));
    expect(created).toMatchObject({ name: 'Door', status: 'published', targetUrl: input.targetUrl });
  });

  test('fails with the error message of a step, without the key', async () => {
    const { apiKey } = service.emulator.control.createKey({ scopes: ['qr:read'] });
    const input = JSON.stringify({ name: 'Door', targetUrl: 'https://example.com' });
    const { code, stdout, stderr } = await invoke(apiKey, 'create', 'create_qr_code', '-i', input);
    const said = `${stdout}${stderr}`.replaceAll(/\s*›?\s+/g, ' ');
    expect(code).not.toBe(0);
    expect(said).toContain('lacks the scope qr:write');
    expect(said).not.toContain(apiKey);
  });
});

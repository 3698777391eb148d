import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };

const run = promisify(execFile);
const root = path.join(__dirname, '../..');
const packageFolder = path.join(root, 'packages/zapier-qr-service');

/** Loads the package by its name, validates it as Zapier does and prints the result. */
const check = (load: string) => `
  ${load}
  const handle = zapier.createAppHandler(app);
  const validation = await handle({ command: 'validate', calledFromCli: true, bundle: {} });
  console.log(JSON.stringify({ version: app.version, triggers: Object.keys(app.triggers).length, found: validation.results }));
`;

test.each([
  ['import', "import app from 'zapier-qr-service'; import zapier from 'zapier-platform-core';"],
  [
    'require',
    `import { createRequire } from 'node:module';
     const require = createRequire(process.cwd() + '/x.cjs');
     const zapier = require('zapier-platform-core');
     const app = require('zapier-qr-service').default;`,
  ],
])('the built bundle loads with plain %s and is valid', async (_how, load) => {
  const args = ['--input-type=module', '--eval', check(load)];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: packageFolder });
  expect(JSON.parse(stdout)).toEqual({
    version: packageJson.version,
    triggers: 9,
    found: [],
  });
  expect(stderr).toBe('');
});

test('the bundle is small enough to contain only the app and the core', async () => {
  expect((await stat(path.join(packageFolder, 'dist/index.js'))).size).toBeLessThan(130_000);
});

test('the bundle imports only modules that a cold start can afford', async () => {
  // Importing node:http takes 25 ms, and formatting a number for a locale takes 4 ms.
  const bundle = await readFile(path.join(packageFolder, 'dist/index.js'), 'utf8');
  const imported = [...bundle.matchAll(/\bfrom"([^"]+)"/g)].map(([, module]) => module);
  const affordable = ['node:crypto', 'node:timers/promises', 'zapier-platform-core'];
  expect([...new Set(imported)].sort()).toEqual(affordable);
  expect(bundle).not.toContain('toLocaleString');
});

describe('base URLs', () => {
  let folder: string;
  beforeAll(async () => {
    // Below the package, so that it finds zapier-platform-core.
    folder = await mkdtemp(path.join(packageFolder, 'dist/public-'));
    const build = [path.join(packageFolder, 'build.mjs'), '--public', path.join(folder, 'index.js')];
    await run(process.execPath, build);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Tests connections to these URLs, where nothing listens. Prints the errors and the app's definition. */
  const connect = `
    Math.random = () => 0; // Retries don't wait.
    const { default: zapier } = await import('zapier-platform-core');
    const { default: app } = await import(process.env.BUNDLE);
    const handle = zapier.createAppHandler(app);
    const test = (baseUrl) => handle({
      command: 'execute', method: 'authentication.test', calledFromCli: true, customLogger: () => undefined,
      bundle: { authData: { apiKey: 'qrs_key', baseUrl }, inputData: {}, meta: {} },
    }).then(() => 'connected', ({ message }) => JSON.parse(message).message);
    const { results: definition } = await handle({ command: 'definition', calledFromCli: true });
    const errors = await Promise.all(JSON.parse(process.env.ADDRESSES).map(test));
    console.log(JSON.stringify({ errors, definition: JSON.stringify(definition) }));
  `;
  async function connectTo(bundle: string, addresses: readonly string[]) {
    const env = { ...process.env, BUNDLE: bundle, ADDRESSES: JSON.stringify(addresses) };
    const args = ['--input-type=module', '--eval', connect];
    const { stdout } = await run(process.execPath, args, { cwd: packageFolder, env });
    // Without Zapier's cache, a step logs a line first.
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as { errors: string[]; definition: string };
  }

  const LOCAL = ['http://localhost:9', ' HTTP://127.0.0.1:9 ', 'http:\\\\[::1]:9', 'http://nas.local:9'];
  const ELSEWHERE = ['http://api.example.com', 'ftp://localhost'];
  const HTTPS = ['https://127.0.0.1:9', 'nonsense'];

  test('may be local URLs without https in a private build', async () => {
    const { errors } = await connectTo(path.join(packageFolder, 'dist/index.js'), [...LOCAL, ...ELSEWHERE]);
    expect(errors.slice(0, LOCAL.length)).toEqual(
      LOCAL.map(() => expect.stringMatching(/could not be reached/)),
    );
    expect(errors.slice(LOCAL.length)).toEqual(
      ELSEWHERE.map(() => expect.stringMatching(/^Base URL must start with https:\/\/\..*localhost/)),
    );
  });

  test('must be https in a public build, which never mentions localhost', async () => {
    const { errors, definition } = await connectTo(path.join(folder, 'index.js'), [
      ...LOCAL,
      ...ELSEWHERE,
      ...HTTPS,
    ]);
    const refused = [...LOCAL, ...ELSEWHERE];
    expect(errors.slice(0, refused.length)).toEqual(
      refused.map(
        () =>
          'Base URL must start with https://. Change it in the connection. Otherwise others could read the API key.',
      ),
    );
    expect(errors.slice(refused.length)).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:9 could not be reached/),
      expect.stringMatching(/^Base URL isn't a valid URL\. Expected/),
    ]);
    expect(definition).toMatch(/Base URL/);
    expect(`${errors.join()} ${definition}`).not.toMatch(/localhost|http:/);
  });
});

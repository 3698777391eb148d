import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.join(__dirname, '../..');
const packageFolder = path.join(root, 'packages/zapier-qr-service');

/** Loads the package by its name, validates it as Zapier does and prints what that finds. */
const check = (load: string) => `
  ${load}
  const handle = zapier.createAppHandler(app);
  const answer = await handle({ command: 'validate', calledFromCli: true, bundle: {} });
  console.log(JSON.stringify({ version: app.version, triggers: Object.keys(app.triggers).length, found: answer.results }));
`;

beforeAll(async () => {
  await run('npm', ['run', 'build', '-w', 'packages/zapier-qr-service'], { cwd: root });
});

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
  expect(JSON.parse(stdout)).toEqual({ version: '0.1.0', triggers: 16, found: [] });
  expect(stderr).toBe('');
});

test('stack traces of the bundle show the names of functions', async () => {
  const load = `import app from 'zapier-qr-service';
    app.authentication.test({ errors: { Error } }, {}).catch(({ stack }) => console.log(stack));`;
  const args = ['--input-type=module', '--eval', load];
  const { stdout } = await run(process.execPath, args, { cwd: packageFolder });
  expect(stdout).toMatch(/at plainError .*\n.*at toZapierError /);
});

test('the bundle is small enough to contain only the app and the core', async () => {
  expect((await stat(path.join(packageFolder, 'dist/index.js'))).size).toBeLessThan(130_000);
});

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'qr-service-tools-'));
});
afterEach(() => rm(cache, { recursive: true, force: true }));

const INSTALL = `
  import { importFromTool, installToolOrExit } from './scripts/tools/install.ts';
  console.log(await installToolOrExit('browser'), Object.keys(await importFromTool('browser', 'playwright-core')));
`;

/** Installs a small tool in a separate process, with a separate cache folder. */
async function install(env: Record<string, string> = {}) {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', INSTALL];
  const options = {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, NODE_OPTIONS: '', XDG_CACHE_HOME: cache, ...env },
  };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

const installed = () => readdir(join(cache, 'qr-service-connector'));

test('installs a tool in one folder, even for two processes at the same time, and imports from it', async () => {
  const [first, second] = await Promise.all([install(), install()]);
  expect([first.code, second.code]).toEqual([0, 0]);
  expect(first.stdout).toContain('chromium');
  expect(second.stdout).toBe(first.stdout);
  const announced = /^Installing Playwright into .*: 14 MB, once\. This takes 2 to 10 seconds\.$/gm;
  expect(`${first.stderr}${second.stderr}`.match(announced)).not.toBeNull();
  expect(await installed()).toEqual([expect.stringMatching(/^browser-[0-9a-f]{16}$/)]);

  expect(await install()).toEqual({ code: 0, stdout: first.stdout, stderr: '' });
});

test('explains what to do when the registry can’t be reached, and leaves no files behind', async () => {
  const { code, stderr } = await install({
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_cache: join(cache, 'npm'),
  });
  expect(code).toBe(1);
  expect(stderr.trim().split('\n').at(-1)).toBe(
    "Can't install Playwright: npm can't reach http://127.0.0.1:9 (ECONNREFUSED). Connect to the internet, or point npm at a registry that you can reach, then run this command again.",
  );
  expect(stderr).not.toContain('    at ');
  expect(await installed()).toEqual([]);
});

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installTool } from '../../scripts/tools/install.ts';
import { PACKAGE_DIR } from './support/world.ts';

const run = promisify(execFile);

/** What n8n's scanner says of a folder, a line each. It is an ES module, so it runs in a process of its own. */
async function scan(folder: string, leg: 'source' | 'tarball'): Promise<string[]> {
  const script = join(__dirname, '../../scripts/release/scanForN8n.ts');
  // Where NODE_ENV is "test", the lint plugin takes every file for one of its own tests'.
  const env = { ...process.env, NODE_ENV: 'production' };
  const args = ['--disable-warning=ExperimentalWarning', script, folder, leg];
  const { stdout } = await run(process.execPath, args, { env });
  return stdout.split('\n').filter((line) => line !== '');
}

beforeAll(() => installTool('package-checks'), 600_000);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qr-service-scan-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The package as npm would publish it, unpacked. */
async function unpackedPackage(): Promise<string> {
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: PACKAGE_DIR, shell: process.platform === 'win32' });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', join(folder, filename), '-C', folder]);
  return join(folder, 'package');
}

test("n8n's scanner reports no problems in the sources", async () => {
  expect(await scan(PACKAGE_DIR, 'source')).toEqual([]);
});

test("n8n's scanner reports no problems in the published package", async () => {
  expect(await scan(await unpackedPackage(), 'tarball')).toEqual([]);
});

test('the scan finds forbidden code in sources and bundles, even where a comment disables the rule', async () => {
  const unpacked = await unpackedPackage();
  const bundle = join(unpacked, 'dist/nodes/QrService/QrService.node.js');
  const planted = '\n/* eslint-disable */ setTimeout(() => globalThis.fetch("https://example.com"), 1);\n';
  await writeFile(bundle, (await readFile(bundle, 'utf8')) + planted);
  expect((await scan(unpacked, 'tarball')).join('\n')).toMatch(/QrService\.node\.js:\d+ .*setTimeout/);

  const sources = join(folder, 'sources');
  await cp(join(PACKAGE_DIR, 'nodes'), join(sources, 'nodes'), { recursive: true });
  await cp(join(PACKAGE_DIR, 'credentials'), join(sources, 'credentials'), { recursive: true });
  const manifest = JSON.parse(await readFile(join(PACKAGE_DIR, 'package.json'), 'utf8')) as object;
  await writeFile(join(sources, 'package.json'), JSON.stringify({ ...manifest, dependencies: { got: '1' } }));
  expect((await scan(sources, 'source')).join('\n')).toContain('no-runtime-dependencies');
});

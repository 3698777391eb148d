import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { publishedOf, readWorkspaces } from './packages/workspaces.ts';

const packages = publishedOf(readWorkspaces(path.join(__dirname, '..')));
const ids = packages.map(({ manifest: { name, version } }) => `${name}@${version}`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'qr-service-publish-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the command with an npm that has these versions, and fails to publish the last package if `isDown`. */
async function publish(
  onNpm: readonly string[],
  isDown = false,
): Promise<{ failed: boolean; calls: string[] }> {
  const log = path.join(folder, 'calls');
  const npm = path.join(folder, 'npm');
  writeFileSync(log, '');
  writeFileSync(
    npm,
    `#!/bin/sh
echo "$*" >> '${log}'
case "$*" in
  ${['none', ...onNpm].map((id) => `"view ${id} version"`).join('|')}) echo 1 ;;
  view*) exit 1 ;;
  *${packages.at(-1)!.manifest.name}*) exit ${isDown ? 1 : 0} ;;
esac
`,
  );
  chmodSync(npm, 0o755);
  const env = { ...process.env, NODE_OPTIONS: '', PATH: `${folder}:${process.env['PATH']}` };
  const script = path.join(__dirname, 'releasePublish.ts');
  const failed = await promisify(execFile)(process.execPath, [script], { env }).then(
    () => false,
    () => true,
  );
  return { failed, calls: readFileSync(log, 'utf8').trim().split('\n') };
}

const published = (calls: string[]) => calls.filter((call) => call.startsWith('publish '));

// npm is replaced by a shell script. Publishing itself runs on Linux only.
const posix = process.platform === 'win32' ? describe.skip : describe;
posix('scripts/releasePublish.ts', () => {
  it('publishes every tarball with provenance, dependencies first', async () => {
    const { failed, calls } = await publish([]);
    expect(failed).toBe(false);
    expect(published(calls)).toEqual(
      packages.map(({ manifest: { name, version } }) => {
        const tarball = `./out/release/${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
        return `publish ${tarball} --provenance --access public`;
      }),
    );
  });

  it('fails if npm refuses a package, and publishes only the rest when run again', async () => {
    expect((await publish([], true)).failed).toBe(true);
    const { failed, calls } = await publish(ids.slice(0, -1));
    expect(failed).toBe(false);
    expect(published(calls)).toEqual([expect.stringContaining(packages.at(-1)!.manifest.name)]);
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publishedOf, readManifest, readWorkspaces } from '../../../scripts/packages/workspaces.ts';
import { atExit } from '../../../scripts/process/atExit.ts';
import { npm } from '../../../scripts/process/npm.ts';
import { OUTPUT_FOLDER, tarballName } from '../../../scripts/release/packages.ts';
import { step } from '../support/suite/step.ts';
import { openCommunityNodes } from './communityNodesPage.ts';
import { newUser } from './newUser.ts';
import { startRegistry } from './registry.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const execute = promisify(execFile);
const packagesOf = (root: string) => publishedOf(readWorkspaces(root)).map(({ manifest }) => manifest);

/** Rehearses two releases: from a fresh clone to packages that are installed and updated as their READMEs say. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-rehearsal-'));
  atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const clone = join(folder, 'clone');
  const names = packagesOf(ROOT).map(({ name }) => name);
  const registry = await startRegistry(folder, names);
  const user = newUser(folder, registry, ROOT);
  const page = await openCommunityNodes(registry);
  after(async () => {
    for (const part of [page, user, registry]) await part.stop();
  });

  const versionOf = (workspace: string) => readManifest(join(clone, workspace)).version;
  const version = () => versionOf('shared');

  async function pack(): Promise<void> {
    await npm(clone, 'run', 'release:version');
    await npm(clone, 'run', 'release:check', '--', '--tag', `v${version()}`);
  }

  /** Publishes what was packed, on this machine only. Returns the packages whose version was published already. */
  async function publish(url = registry.url): Promise<string[]> {
    assert.match(url, /^http:\/\/(127\.0\.0\.1|localhost):\d+\/$/);
    const npmrc = join(folder, 'publisher.npmrc');
    writeFileSync(npmrc, `${url.replace('http:', '')}:_authToken=anyone\n`);
    const env = { ...process.env, npm_config_registry: url, npm_config_userconfig: npmrc };
    const { stdout } = await execute(process.execPath, ['scripts/releasePublish.ts'], { cwd: clone, env });
    return [...stdout.matchAll(/^(\S+)@\S+ is on npm already$/gm)].map(([, name = '']) => name);
  }

  async function assertPublished(...versions: string[]): Promise<void> {
    for (const name of names) {
      const found = (await (await fetch(registry.url + name)).json()) as { versions: object };
      assert.deepEqual(Object.keys(found.versions), versions, name);
    }
  }

  step('a fresh clone writes a version and packs it', async () => {
    await execute('git', ['clone', '--quiet', ROOT, clone]);
    await npm(clone, 'ci', '--no-progress');
    await pack();
  });

  step('without provenance, it is published nowhere else', () =>
    assert.rejects(publish(registry.url.replace('127.0.0.1', 'localhost')), /provenance/i),
  );

  step('it is published, and after a failure only what was left', async () => {
    const tarball = join(clone, OUTPUT_FOLDER, tarballName(packagesOf(clone).at(-1)!));
    renameSync(tarball, `${tarball}.away`);
    await assert.rejects(publish(), /ENOENT/);
    renameSync(`${tarball}.away`, tarball);
    assert.deepEqual(await publish(), names.slice(0, -1));
    await assertPublished(version());
  });

  step('the README of the emulator starts it', user.startEmulator);
  step('the README of the core creates a code, as an ES module and as CommonJS', user.installCore);
  step('the README of the probe tries that service', user.runProbe);
  step("the README of the MCP server sets up an agent's client", user.connectAgent);
  step("n8n's own page installs the nodes", async () => {
    await page.install();
    await page.assertWorks(version(), user.service);
  });

  step('the next release is a patch of all packages but the Zapier app', async () => {
    const [before, zapier] = [version(), versionOf('packages/zapier-qr-service')];
    const change = "---\n'n8n-nodes-qr-service': patch\n---\n\nA rehearsal.\n";
    writeFileSync(join(clone, '.changeset/rehearsal.md'), change);
    await pack();
    const patch = Number(before.split('.')[2]);
    assert.equal(version(), before.replace(/\d+$/, String(patch + 1)));
    assert.equal(versionOf('packages/zapier-qr-service'), zapier);
    assert.deepEqual(await publish(), []);
    await assertPublished(before, version());
    assert.deepEqual(await publish(), names);
  });

  step('the same commands run it', async () => {
    for (const command of ['npx qr-service-probe', 'npx -y qr-service-mcp'])
      assert.equal(await user.run(`${command} --version`), `${version()}\n`);
  });
  step("n8n's own page updates the nodes", async () => {
    await page.update();
    await page.assertWorks(version(), user.service);
  });
}

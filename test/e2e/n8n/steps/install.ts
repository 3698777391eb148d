import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from '../../support/n8n/installPackage.ts';
import { withTarball } from '../../../../scripts/packages/withTarball.ts';
import { PACKAGE_DIR } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';

const PINNED_NODE = dirname(process.execPath);

/** Folders in PATH, except those that npm adds for this repository's commands. */
const userPath = () =>
  (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));

/** The server of the other steps is installed by the same command. */
export function installSteps(): void {
  const runtimes = { "the system's Node": userPath(), 'the pinned Node': [PINNED_NODE, ...userPath()] };
  for (const [name, folders] of Object.entries(runtimes))
    step(`the README's command installs one package and nothing else, with ${name}`, () =>
      withTarball(PACKAGE_DIR, async (tarball) => {
        const home = mkdtempSync(join(tmpdir(), 'qr-service-home-'));
        try {
          // npm must not mistake this for the project that it installs into.
          writeFileSync(join(home, 'package.json'), '{ "name": "home" }');
          const path = folders.join(':');
          const { stdout } = await promisify(execFile)('node', ['--version'], { env: { PATH: path } });
          await installPackage(home, tarball, path);
          const installed = readdirSync(join(home, '.n8n/nodes/node_modules'));
          assert.deepEqual(
            installed.filter((entry) => !entry.startsWith('.')),
            ['n8n-nodes-qr-service'],
            stdout,
          );
          const nested = readdirSync(join(home, '.n8n/nodes/node_modules/n8n-nodes-qr-service'));
          assert.ok(!nested.includes('node_modules'), stdout);
          assert.ok(!readdirSync(home).includes('node_modules'), stdout);
        } finally {
          rmSync(home, { recursive: true, force: true });
        }
      }),
    );
}

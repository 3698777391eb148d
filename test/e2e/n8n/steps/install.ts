import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTarball } from '../../../../scripts/packages.ts';
import { installPackage, startN8nServer } from '../../support/n8n/n8nServer.ts';
import { connectRest } from '../../support/n8n/n8nRest.ts';
import { installTool } from '../../../../scripts/tools/install.ts';
import { ACTION } from '../../support/n8n/workflows.ts';
import { PACKAGE_DIR, type World } from '../../support/n8n/world.ts';
import { startTlsProxy } from '../thirdParties/tlsProxy.ts';
import { step } from '../../support/suite/step.ts';

const REGISTRY = 'registry.npmjs.org';

interface Manifest {
  name: string;
  version: string;
}

/** Folders in PATH, except those that npm adds for this repository's commands. */
const userPath = () =>
  (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));

/** What the README's Docker command tells n8n to install, with the version and the checksum of a packed file. */
function managedEnv(version: string, checksum: string): Record<string, string> {
  const readme = readFileSync(join(PACKAGE_DIR, 'README.md'), 'utf8');
  const settings = [...readme.matchAll(/^ +-e (N8N_COMMUNITY_\w+)='?(.+?)'? \\$/gm)];
  const env = Object.fromEntries(settings.map(([, name, value]) => [name!, value!]));
  const [item] = JSON.parse(env['N8N_COMMUNITY_PACKAGES']!) as [object];
  return { ...env, N8N_COMMUNITY_PACKAGES: JSON.stringify([{ ...item, version, checksum }]) };
}

/** The server of the other steps is installed by the same command. */
export function installSteps({ server }: World): void {
  step("the README's command installs one package and nothing else, with the system's Node", () =>
    withTarball(PACKAGE_DIR, async (tarball) => {
      const home = mkdtempSync(join(tmpdir(), 'qr-service-home-'));
      try {
        // npm must not mistake this for the project that it installs into.
        writeFileSync(join(home, 'package.json'), '{ "name": "home" }');
        await installPackage(home, tarball, userPath().join(':'));
        const installed = join(home, '.n8n/nodes/node_modules');
        const names = readdirSync(installed).filter((entry) => !entry.startsWith('.'));
        assert.deepEqual(names, ['n8n-nodes-qr-service']);
        assert.ok(!readdirSync(join(installed, names[0]!)).includes('node_modules'));
        assert.ok(!readdirSync(home).includes('node_modules'));
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    }),
  );

  step('n8n installs what its environment names, with unverified packages switched off', () =>
    withTarball(PACKAGE_DIR, async (tarball) => {
      const manifest = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as Manifest;
      const { name, version } = manifest;
      const content = readFileSync(tarball);
      const checksum = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const file = `/${name}/-/${name}-${version}.tgz`;
      const published = {
        ...manifest,
        dist: { tarball: `https://${REGISTRY}${file}`, integrity: checksum },
      };
      const registry = await startTlsProxy([REGISTRY], ({ url: { pathname } }) => {
        if (pathname === file) return { body: content };
        if (pathname === `/${name}/${version}`) return { body: published };
        if (pathname !== `/${name}`) return undefined;
        return { body: { name, 'dist-tags': { latest: version }, versions: { [version]: published } } };
      });
      const installs = async (expected: string) => {
        const env = {
          ...registry.env,
          ...managedEnv(version, expected),
          N8N_UNVERIFIED_PACKAGES_ENABLED: 'false',
        };
        const n8nServer = await startN8nServer(await installTool('n8n'), { env });
        const n8n = connectRest(n8nServer.url);
        try {
          await n8n.signIn();
          if (!(await n8n.isKnown(ACTION))) return false;
          await n8nServer.restart();
          return await n8n.isKnown(ACTION);
        } finally {
          await n8nServer.stop();
        }
      };
      try {
        assert.equal(await installs(checksum), true);
        assert.equal(await installs(checksum.replace(/.==$/, 'x==')), false);
      } finally {
        await registry.close();
      }
    }),
  );

  step('n8n serves the output schema of each operation and trigger of the installed package', async () => {
    const built = readdirSync(join(PACKAGE_DIR, 'dist'), { recursive: true, encoding: 'utf8' });
    // The build's `…/QrService/__schema__/v1.0.0/qrCode/get.json` is n8n's `….qrService/1.0.0/qrCode/get.json`.
    const schemas = built.flatMap((path) => {
      const [, first, rest, file] = /(\w)(\w+)\/__schema__\/v(.+\.json)$/.exec(path) ?? [];
      return first === undefined ? [] : [{ path, served: `${first.toLowerCase()}${rest!}/${file!}` }];
    });
    assert.ok(schemas.length >= 10, `${schemas.length} schemas`);
    for (const { path, served } of schemas) {
      const response = await fetch(`${server.url}/schemas/n8n-nodes-qr-service.${served}`);
      const text = readFileSync(join(PACKAGE_DIR, 'dist', path), 'utf8');
      assert.deepEqual([served, response.status, await response.text()], [served, 200, text]);
    }
  });
}

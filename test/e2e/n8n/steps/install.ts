import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sampleEvent } from '@qr-service/core/webhook';
import { readManifest } from '../../../../scripts/packages.ts';
import { installTool } from '../../../../scripts/tools/install.ts';
import { waitForExecutions } from '../../support/n8n/executions.ts';
import { connectRest, type N8nRest } from '../../support/n8n/n8nRest.ts';
import {
  installPackage,
  startN8nServer,
  WITHOUT_EDITOR,
  type N8nServer,
} from '../../support/n8n/n8nServer.ts';
import { ACTION, chain, NO_OP, TRIGGER } from '../../support/n8n/workflows.ts';
import { CREDENTIAL_TYPE, credentialFor, PACKAGE_DIR, type World } from '../../support/n8n/world.ts';
import { step } from '../../support/suite/step.ts';
import { startTlsProxy } from '../thirdParties/tlsProxy.ts';

const SAMPLED = 'feedback.low_score_received';

const REGISTRY = 'registry.npmjs.org';
/** The package by another name, whose checksum doesn't match. */
const ALTERED = 'n8n-nodes-altered';

const { name, version, ...manifest } = readManifest(PACKAGE_DIR);
const checksumOf = (content: Buffer) => `sha512-${createHash('sha512').update(content).digest('base64')}`;

/** Folders in PATH, except those that npm adds for this repository's commands. */
const userPath = () =>
  (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));

/** What the README's Docker command tells n8n to install, with a packed file's version and checksum, after `ALTERED`. */
function managedEnv(packed: Buffer): Record<string, string> {
  const readme = readFileSync(join(PACKAGE_DIR, 'README.md'), 'utf8');
  const settings = [...readme.matchAll(/^ +-e (N8N_COMMUNITY_\w+)='?(.+?)'? \\$/gm)];
  const env = Object.fromEntries(settings.map(([, key, value]) => [key!, value!]));
  const [item] = JSON.parse(env['N8N_COMMUNITY_PACKAGES']!) as [object];
  const pinned = { ...item, version, checksum: checksumOf(packed) };
  // The same files in other bytes: only the checksum tells them apart.
  const checksum = checksumOf(gzipSync(gunzipSync(packed), { level: 1 }));
  const items = [{ ...pinned, name: ALTERED, checksum }, pinned];
  return { ...env, N8N_COMMUNITY_PACKAGES: JSON.stringify(items) };
}

/** Stands in for npm's registry, with this file as the only version of both packages. */
async function startRegistry(packed: Buffer) {
  const downloaded = new Set<string>();
  const proxy = await startTlsProxy([REGISTRY], ({ url: { pathname } }) => {
    const [, asked = '', path] = pathname.split('/');
    if (![name, ALTERED].includes(asked)) return undefined;
    if (path === '-') {
      downloaded.add(asked);
      return { body: packed };
    }
    const tarball = `https://${REGISTRY}/${asked}/-/${asked}-${version}.tgz`;
    const dist = { tarball, integrity: checksumOf(packed) };
    const published = { ...manifest, name: asked, version, dist };
    if (path === version) return { body: published };
    return { body: { name: asked, 'dist-tags': { latest: version }, versions: { [version]: published } } };
  });
  return { ...proxy, downloaded };
}

/** The server of the other steps is installed by the same command. */
export function installSteps({ server, packed }: World): void {
  /** A server without a public URL, which installs the package itself. */
  let local: (N8nServer & { n8n: N8nRest }) | undefined;
  after(() => local?.stop());

  step("the README's command installs one package and nothing else, with the system's Node", async () => {
    const home = mkdtempSync(join(tmpdir(), 'qr-service-home-'));
    try {
      // npm must not mistake this for the project that it installs into.
      writeFileSync(join(home, 'package.json'), '{ "name": "home" }');
      const tarball = join(home, 'package.tgz');
      writeFileSync(tarball, packed);
      await installPackage(home, tarball, userPath().join(':'));
      const installed = join(home, '.n8n/nodes/node_modules');
      const names = readdirSync(installed).filter((entry) => !entry.startsWith('.'));
      assert.deepEqual(names, ['n8n-nodes-qr-service']);
      assert.ok(!readdirSync(join(installed, names[0]!)).includes('node_modules'));
      assert.ok(!readdirSync(home).includes('node_modules'));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  step('with unverified packages off, n8n installs only packages whose checksum matches', async () => {
    const registry = await startRegistry(packed);
    try {
      const verifiedOnly = { N8N_UNVERIFIED_PACKAGES_ENABLED: 'false' };
      const env = { ...WITHOUT_EDITOR, ...registry.env, ...managedEnv(packed), ...verifiedOnly };
      const own = await startN8nServer(await installTool('n8n'), { env });
      local = { ...own, n8n: connectRest(own.url) };
      await local.n8n.signIn();
      assert.match(local.log(), /Failed to install .*-altered.*: Failed to verify package checksum/);
      assert.deepEqual([...registry.downloaded], [name]);
      assert.equal(await local.n8n.isKnown(ACTION), true, local.log());
    } finally {
      await registry.close();
    }
  });

  step('testing the trigger shows a sample event without a public URL or the service', async () => {
    assert.ok(local, "n8n didn't start with the package");
    const { n8n } = local;
    try {
      const nowhere = credentialFor({ url: 'http://127.0.0.1:9', apiKey: 'none' });
      const parameters = { events: [SAMPLED], options: { sampleWhenTesting: true } };
      const id = await n8n.saveWorkflow(
        chain('Sample', await n8n.saveCredential(CREDENTIAL_TYPE, nowhere), [
          { name: 'Trigger', type: TRIGGER, parameters },
          { name: 'Rows', type: NO_OP },
        ]),
      );
      await n8n.run(id, 'Trigger');
      const [execution] = await waitForExecutions(n8n, id, 1);
      const row = execution?.items['Rows']?.[0]?.json;
      const { score } = sampleEvent(SAMPLED).data as { score?: number };
      assert.deepEqual([row?.['type'], row?.['score']], [SAMPLED, score], local.log());
    } finally {
      await local.stop();
    }
  });

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

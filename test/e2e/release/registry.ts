import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../../../scripts/process/npm.ts';
import { installToolOrExit } from '../../../scripts/tools/install.ts';
import { freePort } from '../../support/process/freePort.ts';
import { isReachable, managedProcess } from '../../support/process/managedProcess.ts';

/**
 * Starts an npm registry on this machine, in which anyone may publish some packages. It has none of them yet, and takes
 * all others from the registry of this machine's settings.
 * @param folder for its data
 * @param own names of the packages to publish
 */
export async function startRegistry(folder: string, own: readonly string[]) {
  const program = join(await installToolOrExit('registry'), 'node_modules/verdaccio/bin/verdaccio');
  const config = {
    storage: join(folder, 'storage'),
    web: { enable: false },
    uplinks: { npm: { url: (await npm(folder, 'config', 'get', 'registry')).trim() } },
    packages: {
      ...Object.fromEntries(own.map((name) => [name, { access: '$all', publish: '$all' }])),
      '**': { access: '$all', proxy: 'npm' },
    },
  };
  const file = join(folder, 'registry.yaml');
  writeFileSync(file, JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const registry = managedProcess({
    name: 'The registry',
    command: process.execPath,
    args: [program, '--config', file, '--listen', address],
    isReady: () => isReachable(`http://${address}/-/ping`),
  });
  await registry.start();
  return { url: `http://${address}/`, stop: () => registry.stop() };
}

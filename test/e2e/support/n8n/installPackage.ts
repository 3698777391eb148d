import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { atExit } from '../../../../scripts/process/atExit.ts';

const README = new URL('../../../../packages/n8n-nodes-qr-service/README.md', import.meta.url);
const PACKAGE_NAME = /(?<= )n8n-nodes-qr-service$/;

/**
 * The command in the package's README that installs it for the current user, with another argument in place of the
 * package's name.
 * @param what anything that `npm install` accepts
 */
function installCommand(what: string): string {
  const line = /^npm install --prefix ~.* n8n-nodes-qr-service$/m.exec(readFileSync(README, 'utf8'))?.[0];
  if (line === undefined) throw new Error("The package's README has no install command.");
  return line.replace(PACKAGE_NAME, what);
}

/**
 * Installs the packed package as described in the README.
 * @param home the user's home folder
 * @param path folders with `node` and `npm`, as in PATH
 * @throws Error with npm's messages
 */
export async function installPackage(
  home: string,
  tarball: string,
  path = process.env['PATH'],
): Promise<void> {
  const command = installCommand(`'${tarball}'`);
  const ownSettings = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(ownSettings), HOME: home, PATH: path, npm_config_offline: 'true' };
  const child = spawn('sh', ['-c', command], { env });
  const unregister = atExit(() => void child.kill());
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  unregister();
  if (code !== 0) throw new Error(`${command} failed:\n${await errors}${await output}`);
}

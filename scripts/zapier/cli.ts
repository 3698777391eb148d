import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installTool } from '../tools/install.ts';

/** Runs Zapier's CLI in a folder, without analytics or update checks. With `show`, its output is not captured. */
export async function zapierCommand(folder: string, args: readonly string[], { show = false } = {}) {
  const child = spawn(process.execPath, [(await zapierCli()).resolve(`${CLI}/src/bin/run`), ...args], {
    cwd: folder,
    env: { ...process.env, DISABLE_ZAPIER_ANALYTICS: '1', NO_UPDATE_NOTIFIER: '1' },
    stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Unpacks a zip with the function that Zapier's CLI uses. */
export async function unzip(zip: string, folder: string): Promise<void> {
  type Decompress = (zip: string, folder: string) => Promise<unknown>;
  await ((await zapierCli())(`${CLI}/src/utils/decompress`) as Decompress)(zip, folder);
}

const CLI = 'zapier-platform-cli';
const zapierCli = async () => createRequire(path.join(await installTool('zapier-cli'), 'package.json'));

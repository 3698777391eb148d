import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installTool } from '../tools/install.ts';

/** What a run of Zapier's command line printed, unless it printed to this process's own streams. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs Zapier's command line in a folder; it sends no statistics and looks for no newer version of itself. */
export async function zapierCommand(
  folder: string,
  args: readonly string[],
  { show = false } = {},
): Promise<CommandResult> {
  const command = (await requireCli()).resolve('zapier-platform-cli/src/bin/run');
  const child = spawn(process.execPath, [command, ...args], {
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

/** Unpacks a zip with what Zapier's command line has for it. */
export async function unzip(zip: string, folder: string): Promise<void> {
  type Decompress = (zip: string, folder: string) => Promise<unknown>;
  await ((await requireCli())('zapier-platform-cli/src/utils/decompress') as Decompress)(zip, folder);
}

async function requireCli(): Promise<NodeJS.Require> {
  return createRequire(path.join(await installTool('zapier-cli'), 'package.json'));
}

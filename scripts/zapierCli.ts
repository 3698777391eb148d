import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installTool } from './tools/install.ts';

/** Result of a command of Zapier's CLI. With `show`, its output is not captured. */
interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs Zapier's CLI in a folder, without analytics or update checks. */
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

/** Unpacks a zip with the function that Zapier's CLI uses. */
export async function unzip(zip: string, folder: string): Promise<void> {
  type Decompress = (zip: string, folder: string) => Promise<unknown>;
  await ((await requireCli())('zapier-platform-cli/src/utils/decompress') as Decompress)(zip, folder);
}

/** A section of a changelog: its text, and the steps and issues that it names. */
interface ChangelogSection {
  changelog: string;
  appMetadata?: { action_type: string; action_key: string; app_change_type: string }[];
  issueMetadata?: { issue_id: number }[];
}

/** Reads a version's section of a folder's CHANGELOG.md as `promote` does. Its text is empty if there is none. */
export async function readChangelog(folder: string, version: string): Promise<ChangelogSection> {
  type GetVersionChangelog = (version: string, folder: string) => Promise<ChangelogSection>;
  const { getVersionChangelog } = (await requireCli())('zapier-platform-cli/src/utils/changelog') as {
    getVersionChangelog: GetVersionChangelog;
  };
  return getVersionChangelog(version, folder);
}

/** Loads modules of the installed CLI. */
export async function requireCli(): Promise<NodeJS.Require> {
  return createRequire(path.join(await installTool('zapier-cli'), 'package.json'));
}

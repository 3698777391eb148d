import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { atExit } from '../process/atExit.ts';
import { npm } from '../process/npm.ts';

/** Folders next to this file, each with the lock file of what it installs. */
const TOOLS = {
  bench: { title: 'the libraries to compare with', takes: '60 MB, 3 to 15 seconds' },
  n8n: { title: 'n8n', takes: '2.2 GB, 3 to 10 minutes', compiled: 'sqlite3' },
  'zapier-cli': { title: "Zapier's CLI", takes: '200 MB, 20 to 60 seconds' },
} satisfies Record<string, { title: string; takes: string; compiled?: string }>;

type ToolName = keyof typeof TOOLS;

/** By default, npm takes more than a minute to give up on a registry that isn't there. */
const RETRIES = ['--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=4000'];
const OFFLINE = /^npm error code (E(?:AI_AGAIN|CONN\w+|\w+UNREACH|NOTFOUND|TIMEDOUT)|ERR_SOCKET_TIMEOUT)$/m;

/**
 * Returns the folder of an installed tool. It is installed on first use below `$XDG_CACHE_HOME` or `~/.cache`, and
 * shared by all clones with the same lock file.
 * @throws Error when npm can't install it
 */
export async function installTool(name: ToolName): Promise<string> {
  const folder = await toolFolder(name);
  if (existsSync(folder)) return folder;
  const { title, takes, ...tool } = TOOLS[name];
  console.error(`Installing ${title} into ${folder}, once: ${takes}.`);
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(join(CACHE, 'partial-'));
  const remove = () => rmSync(partial, { recursive: true, force: true });
  const unregister = atExit(remove);
  try {
    await cp(manifestFolder(name), partial, { recursive: true });
    await npm(partial, 'ci', '--loglevel=error', ...RETRIES);
    if ('compiled' in tool) await npm(partial, 'rebuild', tool.compiled, '--ignore-scripts=false');
    await writeFile(join(partial, IMPORTER), 'export default (module) => import(module);\n');
    await rename(partial, folder);
  } catch (error) {
    // Another process has installed it.
    if (!existsSync(folder)) throw new Error(`Can't install ${title}${reasonOf(error)}`, { cause: error });
  } finally {
    unregister();
    remove();
  }
  return folder;
}

/** Like `installTool`, for commands: when it fails, prints the reason without a stack trace and ends the process. */
export async function installToolOrExit(name: ToolName): Promise<string> {
  return installTool(name).catch((error: unknown) => {
    console.error((error as Error).message);
    process.exit(1);
  });
}

/** Whether an earlier run installed the tool. */
export const isInstalled = async (name: ToolName): Promise<boolean> => existsSync(await toolFolder(name));

const IMPORTER = 'import.mjs';

/** Imports one of a tool's packages. The tool must be installed. */
export async function importFromTool<Module>(name: ToolName, module: string): Promise<Module> {
  const importer = pathToFileURL(join(await toolFolder(name), IMPORTER)).href;
  const { default: load } = (await import(importer)) as { default: (module: string) => Promise<Module> };
  return load(module);
}

const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'qr-service-connector');
const manifestFolder = (name: ToolName) => fileURLToPath(new URL(name, import.meta.url));

async function toolFolder(name: ToolName): Promise<string> {
  const lock = await readFile(join(manifestFolder(name), 'package-lock.json'));
  return join(CACHE, `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = OFFLINE.exec(message)?.[1];
  if (code === undefined) return `. ${message}`;
  const registry = /request to (https?:\/\/[^/\s]+)/.exec(message)?.[1] ?? 'its registry';
  return `: npm can't reach ${registry} (${code}). Connect to the internet, or point npm at a registry that you can reach, then run this command again.`;
}

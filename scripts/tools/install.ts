import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { atExit } from '../process/atExit.ts';
import { npm } from '../process/npm.ts';
import { ToolInstallError } from './ToolInstallError.ts';

/** A folder next to this file, with the lock file of what it installs. */
interface Tool {
  title: string;
  size: string;
  duration: string;
  /** Packages whose install scripts are run. All others are skipped. */
  compiled?: readonly string[];
}

const TOOLS = {
  bench: { title: 'the libraries to compare with', size: '35 MB', duration: '3 to 15 seconds' },
  browser: { title: 'Playwright', size: '14 MB', duration: '2 to 10 seconds' },
  'mcp-conformance': { title: "MCP's conformance suite", size: '52 MB', duration: '5 to 30 seconds' },
  'mcp-inspector': { title: 'the MCP inspector', size: '110 MB', duration: '10 to 60 seconds' },
  mcpb: { title: 'the MCPB packer', size: '17 MB', duration: '3 to 20 seconds' },
  mutation: { title: 'Stryker', size: '62 MB', duration: '5 to 30 seconds' },
  n8n: { title: 'n8n', size: '2.2 GB', duration: '3 to 10 minutes', compiled: ['sqlite3'] },
  'package-checks': { title: 'the package checks', size: '290 MB', duration: '15 to 60 seconds' },
  'pdf-reader': { title: 'PDFium', size: '11 MB', duration: '2 to 10 seconds' },
  registry: { title: 'a private npm registry', size: '65 MB', duration: '5 to 30 seconds' },
  'workflow-sdk': { title: "n8n's workflow SDK", size: '150 MB', duration: '10 to 30 seconds' },
  'zapier-cli': { title: "Zapier's CLI", size: '200 MB', duration: '20 to 60 seconds' },
} satisfies Record<string, Tool>;

type ToolName = keyof typeof TOOLS;
type Log = (line: string) => void;

const REMINDER_MS = 30_000;
/** By default, npm takes more than a minute to give up on a registry that isn't there. */
const RETRIES = ['--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=4000'];

/**
 * Returns the folder of an installed tool. It is installed on first use below `$XDG_CACHE_HOME` or `~/.cache`, and
 * shared by all clones with the same lock file.
 * @throws ToolInstallError when npm can't install it
 */
export async function installTool(name: ToolName, log: Log = logToStderr): Promise<string> {
  const folder = await toolFolder(name);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  await install(name, folder, log);
  return folder;
}

async function install(name: ToolName, folder: string, log: Log): Promise<void> {
  const { title, size, duration, compiled }: Tool = TOOLS[name];
  log(`Installing ${title} into ${folder}: ${size}, once. This takes ${duration}.`);
  const startedAt = performance.now();
  const partial = await mkdtemp(join(cacheFolder(), 'partial-'));
  const remove = () => rmSync(partial, { recursive: true, force: true });
  const unregister = atExit(remove);
  const reminder = setInterval(() => log(`  still installing after ${secondsSince(startedAt)}`), REMINDER_MS);
  try {
    await cp(manifestFolder(name), partial, { recursive: true });
    await npm(partial, 'ci', '--loglevel=error', ...RETRIES);
    if (compiled !== undefined)
      await npm(partial, 'rebuild', ...compiled, '--ignore-scripts=false', '--loglevel=error');
    await writeFile(join(partial, IMPORTER), 'export default (module) => import(module);\n');
    await rename(partial, folder);
  } catch (error) {
    // Another process has installed it.
    if (existsSync(folder)) return;
    throw new ToolInstallError(title, error);
  } finally {
    clearInterval(reminder);
    unregister();
    remove();
  }
  log(`  ✓ installed in ${secondsSince(startedAt)}`);
}

/** Like `installTool`, for commands: when it fails, prints the reason without a stack trace and ends the process. */
export async function installToolOrExit(name: ToolName, log?: Log): Promise<string> {
  try {
    return await installTool(name, log);
  } catch (error) {
    if (!(error instanceof ToolInstallError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
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

const manifestFolder = (name: ToolName) => fileURLToPath(new URL(name, import.meta.url));

async function toolFolder(name: ToolName): Promise<string> {
  const lock = await readFile(join(manifestFolder(name), 'package-lock.json'));
  return join(cacheFolder(), `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
}

function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'qr-service-connector');
}

/** Keeps standard output free for the command. */
function logToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

function secondsSince(startedAt: number): string {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

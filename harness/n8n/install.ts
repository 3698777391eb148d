import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from '../process/atExit.ts';

const LOCKED = fileURLToPath(new URL('server/', import.meta.url));
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'qr-service-connector');
const STILL_HERE_MS = 30_000;

/**
 * Gives the folder with the locked n8n server, which is installed at the first call of a machine, below
 * `$XDG_CACHE_HOME` or `~/.cache`, and shared by all clones with the same lock file.
 * @throws Error with what npm said when it can't be installed
 */
export async function installServer(say: (line: string) => void): Promise<string> {
  const folder = await serverFolder();
  if (existsSync(folder)) return folder;

  say(`Installing n8n into ${folder}: 2.2 GB, once. This takes 3 to 10 minutes.`);
  const began = performance.now();
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(join(CACHE, 'partial-'));
  const remove = () => rmSync(partial, { recursive: true, force: true });
  const forget = atExit(remove);
  const remind = setInterval(() => say(`  still installing, after ${minutesSince(began)}`), STILL_HERE_MS);
  try {
    await cp(LOCKED, partial, { recursive: true });
    await npm(partial, 'ci', '--loglevel=error');
    say(`  ✓ packages, after ${minutesSince(began)}; now its database driver is compiled`);
    await npm(partial, 'rebuild', 'sqlite3', '--ignore-scripts=false', '--loglevel=error');
    await moveInto(folder, partial);
  } finally {
    clearInterval(remind);
    forget();
    remove();
  }
  say(`  ✓ installed in ${minutesSince(began)}`);
  return folder;
}

/** Whether the server was installed by an earlier run. */
export const isInstalled = async (): Promise<boolean> => existsSync(await serverFolder());

async function serverFolder(): Promise<string> {
  const lock = await readFile(join(LOCKED, 'package-lock.json'));
  return join(CACHE, `n8n-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
}

/** Where another run was faster, its folder is as good. */
async function moveInto(folder: string, partial: string): Promise<void> {
  try {
    await rename(partial, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** @throws Error with what npm said */
export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const child = spawn('npm', args, { cwd, shell: process.platform === 'win32' });
  const forget = atExit(() => void child.kill());
  const printed: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => (printed[stream] += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  forget();
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${printed.stderr}${printed.stdout}`);
  return printed.stdout;
}

function minutesSince(began: number): string {
  const seconds = Math.round((performance.now() - began) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

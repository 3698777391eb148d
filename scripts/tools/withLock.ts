import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { atExit } from '../process/atExit.ts';

const HEARTBEAT_MS = 5000;
/** A lock this old is left over from a process that was killed. */
const STALE_MS = 30_000;
const POLL_MS = 500;

/** Runs some work while holding a lock that other processes on this machine respect. The lock is a folder. */
export async function withLock<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  const release = () => rmSync(lock, { recursive: true, force: true });
  while (!(await acquire(lock))) {
    if (await isStale(lock)) await discard(lock);
    else await setTimeout(POLL_MS);
  }
  const unregister = atExit(release);
  const heartbeat = setInterval(
    () => void utimes(lock, new Date(), new Date()).catch(() => undefined),
    HEARTBEAT_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    unregister();
    release();
  }
}

async function acquire(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Removes a stale lock. Only one process can move it away; if it caught a fresh lock instead, it puts that back. */
async function discard(lock: string): Promise<void> {
  const moved = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, moved);
  } catch {
    return;
  }
  if (await isStale(moved)) await rm(moved, { recursive: true, force: true });
  else await rename(moved, lock).catch(() => rm(moved, { recursive: true, force: true }));
}

async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}

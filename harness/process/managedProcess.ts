import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './atExit.ts';

/** Only ends a hang: a busy machine takes its time. */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;
const MAX_LOG_LENGTH = 100_000;

/** What is run, and how it is known to be ready. */
export interface ProcessSettings {
  /** What it is, for messages. */
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string | undefined>;
  /** Whether it serves. */
  isReady: () => Promise<boolean>;
}

/** A process that can be stopped, killed and started again, and ends with this one at the latest. */
export interface ManagedProcess {
  /** Process id of what runs now. */
  pid(): number;
  isRunning(): boolean;
  /** Whether it serves. */
  isReady(): Promise<boolean>;
  /** The end of what it printed. */
  log(): string;
  /** Resolves when it is ready. @throws Error with its log when it doesn't start */
  start(): Promise<void>;
  /** Ends it as a deployment would: it may finish what it does, for 10 s. */
  stop(): Promise<void>;
  /** Ends it and its children where they stand, as a crash or a lack of memory would. */
  kill(): Promise<void>;
}

/** A process of a group of its own, not started yet: Ctrl-C is for this process to handle. */
export function managedProcess({ name, command, args, env, isReady }: ProcessSettings): ManagedProcess {
  let child: ChildProcess | undefined;
  let output = '';
  let unregister: () => void = () => undefined;
  const isRunning = () => child !== undefined && !hasEnded(child);

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    unregister();
    if (child === undefined || hasEnded(child)) return;
    const closed = once(child, 'exit');
    if (signal === 'SIGTERM') {
      child.kill(signal);
      await Promise.race([closed, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    }
    killGroup(child);
    await closed;
  }

  return {
    pid: () => child?.pid ?? 0,
    isRunning,
    isReady,
    log: () => output,
    async start() {
      const started = spawn(command, args, {
        detached: true,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_LOG_LENGTH));
      started.stdout.on('data', collect);
      started.stderr.on('data', collect);
      child = started;
      unregister = atExit(() => killGroup(started));
      const deadline = Date.now() + START_TIMEOUT_MS;
      while (!(await isReady())) {
        if (hasEnded(started) || Date.now() > deadline) {
          await end('SIGKILL');
          throw new Error(`${name} did not start:\n${output}`);
        }
        await sleep(100);
      }
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Whether a web address answers with success. */
export async function isReachable(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // They have ended.
  }
}

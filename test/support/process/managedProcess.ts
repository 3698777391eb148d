import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from '../../../scripts/process/atExit.ts';

/** Only ends a hang: a busy machine may be slow. */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;
const MAX_LOG_LENGTH = 100_000;

/** What to run, and how to check that it is ready. */
interface ProcessSettings {
  /** Name for messages. */
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string | undefined>;
  /** Whether it serves requests. */
  isReady: () => Promise<boolean>;
}

/** A process that can be stopped, killed and restarted. It ends when this process exits. */
export interface ManagedProcess {
  isRunning(): boolean;
  /** Whether it serves requests. */
  isReady(): Promise<boolean>;
  /** The end of its output. */
  log(): string;
  /** Starts it, with additional environment variables. Resolves when it is ready. @throws Error with its log when it doesn't start */
  start(extraEnv?: Record<string, string>): Promise<void>;
  /** Stops it gracefully, and kills it after 10 s. */
  stop(): Promise<void>;
  /** Kills it and its children, as a crash or running out of memory would. */
  kill(): Promise<void>;
}

/** Creates a process without starting it. It has its own process group, so Ctrl-C only reaches this process. */
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
    isRunning,
    isReady,
    log: () => output,
    async start(extraEnv = {}) {
      const started = spawn(command, args, {
        detached: true,
        env: { ...process.env, ...env, ...extraEnv },
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
          throw new Error(`${name} didn't start:\n${output}`);
        }
        await sleep(100);
      }
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Whether a URL responds with a successful status. */
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
    // They have already exited.
  }
}

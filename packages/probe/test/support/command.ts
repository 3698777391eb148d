import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** The built command. */
export const COMMAND = join(__dirname, '../../bin/qr-service-probe.js');

/** How a run of the command ended. */
interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** The command in its own process. */
export interface Run {
  child: ChildProcess;
  /** Resolves once one of the outputs contains the text. */
  printed: (text: string) => Promise<void>;
  ended: Promise<Ended>;
}

const started: ChildProcess[] = [];

/** Starts a program, without a terminal. */
export function start(
  file: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Run {
  const { PATH = '' } = process.env;
  const child = spawn(file, args, { cwd: options.cwd, env: { PATH, ...options.env } });
  started.push(child);
  let [out, err] = ['', ''];
  const waiting: (() => void)[] = [];
  const look = () => waiting.forEach((check) => check());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    look();
  });
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (out.includes(text) || err.includes(text)) resolve();
      };
      waiting.push(check);
      check();
      void ended.then(() => reject(new Error(`It ended without printing ${text}: ${out}${err}`)));
    });
  return { child, printed, ended };
}

/** Starts the command. */
export function startCommand(
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Run {
  return start(process.execPath, [COMMAND, ...args], options);
}

/** Call after each test. */
export function killStarted(): void {
  for (const child of started.splice(0)) child.kill('SIGKILL');
}

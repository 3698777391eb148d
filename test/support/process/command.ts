import { spawn, type ChildProcess } from 'node:child_process';

/** How a command ended. */
interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** A command in its own process. */
export interface Run {
  child: ChildProcess;
  /** Resolves with both outputs once one of them contains the text. */
  printed: (text: string) => Promise<string>;
  ended: Promise<Ended>;
}

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts a program without a terminal, until the end of the test. */
export function startCommand(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string | undefined> },
): Run {
  // The gate's processes share compiled code.
  const { NODE_COMPILE_CACHE } = process.env;
  const child = spawn(file, args, { ...options, env: { NODE_COMPILE_CACHE, ...options.env } });
  started.push(child);
  let out = '';
  let err = '';
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const printed = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (out.includes(text) || err.includes(text)) resolve(out + err);
      };
      look();
      for (const output of [child.stdout, child.stderr]) output.on('data', look);
      void ended.then(() => reject(new Error(`It ended without printing ${text}: ${out}${err}`)));
    });
  return { child, printed, ended };
}

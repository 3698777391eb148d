import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './atEnd.ts';

const PACKAGE = join(__dirname, '../..');
/** Halves the time that a process takes to start. */
const COMPILE_CACHE = join(tmpdir(), 'qr-service-compile-cache');

/** The command `qr-service-emulator` in its own process. */
export interface Run {
  child: ChildProcessWithoutNullStreams;
  /** Resolves with the output once it contains the text. */
  printed: (text: string) => Promise<string>;
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

/** What the command prints about itself once it runs. */
interface Banner {
  url: string;
  apiKey: string;
}

/** Runs the command until the end of the test. */
export function runCommand(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, ['--conditions=@qr-service/source', 'src/cli.ts', ...args], {
    cwd: PACKAGE,
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
  });
  atEnd(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  );
  const printed = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (out.includes(text)) resolve(out);
      };
      look();
      child.stdout.on('data', look);
      void ended.then(() => reject(new Error(`ended without printing ${text}: ${out}${err}`)));
    });
  return { child, printed, ended };
}

/** Waits until the command listens, and reads its banner. */
export async function bannerOf({ printed }: Pick<Run, 'printed'>): Promise<Banner> {
  const out = await printed('Ctrl-C stops it.');
  return { url: field(out, /emulator at (\S+)/), apiKey: field(out, /API key +(\S+)/) };
}

function field(out: string, pattern: RegExp): string {
  const found = pattern.exec(out)?.[1];
  if (found === undefined) throw new Error(`The command didn't print ${String(pattern)}: ${out}`);
  return found;
}

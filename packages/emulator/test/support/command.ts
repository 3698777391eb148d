import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand, type Run } from '../../../../test/support/process/command.ts';
import { main } from '../../src/command.ts';

const PACKAGE = join(__dirname, '../..');
/** Halves the time that a process takes to start. */
const COMPILE_CACHE = join(tmpdir(), 'qr-service-compile-cache');

/** Starts the command `qr-service-emulator` in its own process, until the end of the test. */
export function runCommand(args: string[], env: Record<string, string> = {}): Run {
  return startCommand(process.execPath, ['--conditions=@qr-service/source', 'src/main.ts', ...args], {
    cwd: PACKAGE,
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
  });
}

/** Waits until the command listens, and reads its address and key. */
export async function bannerOf({ printed }: Pick<Run, 'printed'>): Promise<{ url: string; apiKey: string }> {
  const out = await printed('Ctrl-C stops it.');
  const [, url = '', apiKey = ''] = /emulator at (\S+).*API key +(\S+)/s.exec(out) ?? [];
  return { url, apiKey };
}

/** Runs the command `qr-service-emulator` in this process, for commands that end by themselves. */
export async function runInProcess(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const textOf = ({ mock }: typeof out) => mock.calls.map(([text]) => String(text)).join('');
  try {
    await main(args);
    return { code: Number(process.exitCode ?? 0), out: textOf(out), err: textOf(err) };
  } finally {
    process.exitCode = undefined;
    out.mockRestore();
    err.mockRestore();
  }
}

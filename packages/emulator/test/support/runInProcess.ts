import { main } from '../../src/command.ts';

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

import { main } from '../../src/command.ts';

/** What a command printed, and its exit code. */
export interface Result {
  code: number;
  out: string;
  err: string;
}

/** Runs the command `qr-service-emulator` in this process, for commands that end by themselves. */
export async function runInProcess(...args: string[]): Promise<Result> {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
  ];
  try {
    await main(args);
    return { code: Number(process.exitCode ?? 0), out: out.join(''), err: err.join('') };
  } finally {
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
  }
}

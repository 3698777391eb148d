import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { atExit } from './atExit.ts';

/**
 * Runs npm in a folder and returns its output.
 * @throws Error with npm's messages
 */
export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const child = spawn('npm', args, { cwd, shell: process.platform === 'win32' });
  const unregister = atExit(() => void child.kill());
  const output: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => (output[stream] += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  unregister();
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output.stderr}${output.stdout}`);
  return output.stdout;
}

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const TSC = join(__dirname, '../../../node_modules/typescript-7/bin/tsc');

/**
 * Compiles a project with this repository's TypeScript. Returns what it prints: nothing, or errors.
 * @param project a `tsconfig.json`, or its folder
 * @throws Error when it fails without saying why
 */
export function compile(project: string): string {
  const args = [TSC, '--singleThreaded', '-p', project];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const output = stdout + stderr;
  if (status !== 0 && output === '') throw new Error(`TypeScript ended with status ${status}.`);
  return output;
}

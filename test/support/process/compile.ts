import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const TSC = join(__dirname, '../../../node_modules/typescript-7/bin/tsc');

/** Compiles the project of a `tsconfig.json` or its folder with this repository's TypeScript. Returns what it prints. */
export function compile(project: string): string {
  return spawnSync(process.execPath, [TSC, '--singleThreaded', '-p', project], { encoding: 'utf8' }).stdout;
}

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the core. */
export const CORE = fileURLToPath(new URL('../../../shared/', import.meta.url));

/** Each `@example` in a docstring of the core: its file and line, and its code. */
export const EXAMPLES: readonly [at: string, code: string][] = globSync('src/**/*.ts', { cwd: CORE })
  .filter((file) => !/\.(test|types)\.ts$/.test(file))
  .flatMap((file) => {
    const text = readFileSync(CORE + file, 'utf8');
    return [...text.matchAll(/@example\n \* ```ts\n(.*?)\n \* ```$/gms)].map(
      ({ 1: code = '', index }): [string, string] => [
        `${file}:${text.slice(0, index).split('\n').length}`,
        code.replaceAll(/^ \* ?/gm, ''),
      ],
    );
  });

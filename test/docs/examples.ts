import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Each `@example` in a docstring of the core: its file and line, and its code. */
export const DOCSTRING_EXAMPLES: readonly [at: string, code: string][] = globSync('shared/src/**/*.ts', {
  cwd: ROOT,
})
  .filter((file) => !/\.(test|types)\.ts$/.test(file))
  .flatMap((file) => {
    const text = read(file);
    return [...text.matchAll(/@example\n \* ```ts\n(.*?)\n \* ```$/gms)].map(
      ({ 1: code = '', index }): [string, string] => [
        `${file}:${text.slice(0, index).split('\n').length}`,
        code.replaceAll(/^ \* ?/gm, ''),
      ],
    );
  });

/** The code blocks of a page, with the number of each. */
export const blocksOf = (page: string, language: 'js' | 'json' | 'ts'): [at: string, code: string][] =>
  [...read(page).matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = ''], index) => [
    `${page}, ${language} block ${index + 1}`,
    code,
  ]);

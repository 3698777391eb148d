import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');
const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
/** Folders that paths in the text start with. */
const FOLDERS = '(?:\\.ci|engines|harness|packages|scripts|shared|test)';

test('every path in CONTRIBUTING.md exists', () => {
  const inCode = new RegExp(`\`(${FOLDERS}/[^\`\\s<]*)\``, 'g');
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)];
  const paths = [...text.matchAll(inCode), ...links].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(25);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every npm command in CONTRIBUTING.md has a script', () => {
  const scriptsOf = (folder: string) =>
    (JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { scripts: object }).scripts;
  const commands = [...text.matchAll(/npm run ([\w:]+)(?: -w (\w+))?/g)];
  expect(commands.length).toBeGreaterThan(7);
  const unknown = commands.filter(([, script, folder = '.']) => !Object.hasOwn(scriptsOf(folder), script!));
  expect(unknown.map(([command]) => command)).toEqual([]);
});

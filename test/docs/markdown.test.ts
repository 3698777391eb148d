import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brokenLinks, brokenSourceLinks, markdownFiles, sourceFiles } from './links.ts';
import { HELP as DEMO_HELP } from '../../demo/options.ts';
import { HELP as EMULATOR_HELP } from '../../packages/emulator/src/cli/help.ts';
import { publishedOf, readWorkspaces } from '../../scripts/packages/workspaces.ts';
import { about, BENCHMARKS } from '../bench/benchmarks.ts';
import { SUITES } from '../e2e/suites.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8');
const files = markdownFiles(ROOT);

it('finds the pages of the root, docs and packages, and none of dependencies', () => {
  const expected = ['README.md', 'SECURITY.md', 'docs/reliability.md', 'packages/emulator/README.md'];
  expect(files).toEqual(expect.arrayContaining(expected));
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
});

test.each(files)('%s links only to files and headings that exist', (file) => {
  expect(brokenLinks(ROOT, file)).toEqual([]);
});

const ON_NPM = publishedOf(readWorkspaces(ROOT)).flatMap(({ folder }) => [
  `${folder}/README.md`,
  `${folder}/CHANGELOG.md`,
]);

test.each(ON_NPM)('%s links to other folders by their full address, as npm shows it alone', (file) => {
  expect(read(file).match(/\]\(\.\.\/[^)]*\)/g) ?? []).toEqual([]);
});

test('sources link only to files and headings of the repository that exist', () => {
  const found = sourceFiles(ROOT);
  expect(found).toContain('packages/n8n-nodes-qr-service/nodes/QrService/QrService.node.json');
  expect(found.flatMap((file) => brokenSourceLinks(ROOT, file).map((link) => [file, link]))).toEqual([]);
});

test.each(files)('the tables of %s can be read at a glance: at most four columns of short cells', (file) => {
  const rows = read(file)
    .replaceAll(/^ *```[^]*?^ *```/gm, '')
    .match(/^ *\|.*\|$/gm);
  const cells = (rows ?? []).map((row) =>
    row
      .replaceAll(/\]\([^)]*\)|`|\*\*/g, '')
      .split(/(?<!\\)\|/)
      .slice(1, -1),
  );
  const isLong = (cell: string) => cell.trim().length > 80 && !/^-+$/.test(cell.trim());
  expect(cells.filter((row) => row.length > 4 || row.some(isLong))).toEqual([]);
});

const OVERVIEWS = files.filter((file) => /^(?:[^/]+|docs\/.*|test\/README)\.md$/.test(file));

const NAMED = /`((?:\.ci|\.github|shared|packages|engines|demo|docs|scripts|test)\/[^`\s]*)`/g;
const pathsIn = (file: string) =>
  [...read(file).matchAll(NAMED)].map(([, path = '']) => path).filter((path) => !/[*{<…]|\.\.\./.test(path));

test.each(OVERVIEWS)('%s names only files of the repository that exist', (file) => {
  expect(pathsIn(file).filter((path) => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});

describe('commands in all pages', () => {
  const text = files.map(read).join('\n');
  const named = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];

  it('run scripts that exist', () => {
    const scriptsIn = (folder: string) =>
      Object.keys((JSON.parse(read(`${folder}package.json`)) as { scripts: object }).scripts);
    const commands = named(/\bnpm run (?:--?\w+ )*([\w:]+(?: -w \S+\w)?)/g);
    expect(commands).toEqual(expect.arrayContaining(['e2e', 'bench', 'zapier']));
    const exists = (command: string) => {
      const [name = '', folder = ''] = command.split(' -w ');
      return scriptsIn(folder === '' ? '' : `${folder}/`).includes(name);
    };
    expect(commands.filter((command) => !exists(command))).toEqual([]);
  });

  it('run end-to-end suites that exist, and show all of them', () => {
    expect(named(/\bnpm run e2e -- (\w+)/g).sort()).toEqual(Object.keys(SUITES).sort());
  });

  it('run benchmarks that exist, and show all of them', () => {
    const rows = [...read('docs/benchmarks.md').matchAll(/^\| `([\w-]+)` +\| ([^|]*?) +\|/gm)];
    const listed = Object.fromEntries(rows.map(([, name, question]) => [name, question]));
    expect(listed).toEqual(
      Object.fromEntries(Object.entries(BENCHMARKS).map(([name, benchmark]) => [name, about(benchmark)])),
    );
    expect(named(/\bnpm run bench -- ([\w-]+)/g).filter((name) => !Object.hasOwn(BENCHMARKS, name))).toEqual(
      [],
    );
  });

  it.each([
    ['npm start --', DEMO_HELP, 'rows'],
    ['npx qr-service-emulator', EMULATOR_HELP, 'connect-to'],
  ])('pass options to %s that it has', (command, help, known) => {
    const calls = text.split('\n').flatMap((line) => line.split(command).slice(1));
    const options = calls.flatMap((call) => [...call.split(/[#`]/, 1)[0]!.matchAll(/ --([\w-]+)/g)]);
    const named = options.map(([, name = '']) => name);
    expect(named).toContain(known);
    expect(named.filter((name) => !help.includes(`  --${name} `))).toEqual([]);
  });
});

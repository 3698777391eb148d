import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  brokenLinks,
  brokenSourceLinks,
  markdownFiles,
  sourceFiles,
  unreadableTables,
} from '../../scripts/docs/markdown.ts';
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

test.each(files)('the tables of %s have at most four columns and short cells', (file) => {
  expect(unreadableTables(read(file))).toEqual([]);
});

const TABLES: [name: string, row: string, isReadable: boolean][] = [
  ['short cells', '| a | b |', true],
  ['four columns', '| a | b | c | d |', true],
  ['five columns', '| a | b | c | d | e |', false],
  ['five columns without outer pipes', 'a | b | c | d | e', false],
  ['80 characters', `| ${'a'.repeat(80)} | b |`, true],
  ['81 characters', `| a | ${'b'.repeat(81)} |`, false],
  ['81 characters without outer pipes', `a | ${'b'.repeat(81)}`, false],
  ['81 characters in code', `| a | \`${'b'.repeat(81)}\` |`, false],
  ['the same without spaces', `|a|${'b'.repeat(81)}|`, false],
  ['a short link to a long address', `| [a](https://example.com/${'a'.repeat(80)}) | b |`, true],
  ['a long link', `| [${'a'.repeat(81)}](https://example.com) | b |`, false],
  ['escaped pipes', '| a \\| b \\| c \\| d \\| e | f |', true],
  ['a second row', `| a | b |\n| a | ${'b'.repeat(81)} |`, false],
  ['a paragraph after the table', `| a | b |\n\n${'a | b'.repeat(20)}`, true],
];

describe.each(['', '  '])('the check of tables, indented by %j', (indent) => {
  test.each(TABLES)('%s', (_, rows, isReadable) => {
    const lines = ['| x | y |', '| - | :-: |', ...rows.split('\n')].map((line) => indent + line);
    expect(unreadableTables(`Text\n\n${lines.join('\n')}\n`).length === 0).toBe(isReadable);
    expect(unreadableTables(`\`\`\`md\n${lines.join('\n')}\n\`\`\`\n`)).toEqual([]);
  });
});

const LINKS: [link: string, isBroken: boolean][] = [
  ['[a](reliability.md)', false],
  ['[a](reliability.md "title")', false],
  ['[a](../test)', false],
  ['[a](/docs/reliability.md#worker)', false],
  ['[a](#two-words)', false],
  ['[a](#two-words-1)', false],
  ['[a](#with-code-and-punctuation)', false],
  ['[a](https://example.com/nothing)', false],
  ['[a](https://github.com/qr-service/qr-service-connector/blob/main/docs/reliability.md#worker)', false],
  ['`[a](nothing.md)`', false],
  ['```md\n[a](nothing.md)\n```', false],
  ['[a](nothing.md)', true],
  ['![a](nothing.png)', true],
  ['[![a](nothing.png)](reliability.md)', true],
  ['[a]: nothing.md', true],
  ['<img src="nothing.png">', true],
  ['[a](#nothing)', true],
  ['[a](#two-words-2)', true],
  ['[a](#in-code)', true],
  ['[a](reliability.md#nothing)', true],
  ['[a](../../outside.md)', true],
  ['[a](https://github.com/qr-service/qr-service-connector/tree/main/nothing)', true],
  ['[a](https://github.com/qr-service/qr-service-connector/tree/main/packages/emulator#readme)', false],
  ['[a](https://github.com/qr-service/qr-service-connector/tree/main/packages/emulator#options)', false],
  ['[a](https://github.com/qr-service/qr-service-connector/tree/main/packages/emulator#nothing)', true],
];

test.each(LINKS)('the check of links: %j is broken: %s', (link, isBroken) => {
  const page = `# Two words\n\n## Two words\n\n## With \`code\`, and [punctuation](reliability.md)!\n\n`;
  const text = `${page}\`\`\`sh\n# In code\n\`\`\`\n\n${link}\n`;
  expect(brokenLinks(ROOT, 'docs/page.md', text).length > 0).toBe(isBroken);
});

const OVERVIEWS = files.filter((file) => /^(?:[^/]+|docs\/.*|test\/README)\.md$/.test(file));

const NAMED = /`((?:\.ci|\.github|shared|packages|engines|demo|docs|scripts|test)\/[^`\s]*)`/g;
const pathsIn = (file: string) =>
  [...read(file).matchAll(NAMED)].map(([, path = '']) => path).filter((path) => !/[*{<…]|\.\.\./.test(path));

test.each(OVERVIEWS)('%s names only files of the repository that exist', (file) => {
  expect(pathsIn(file).filter((path) => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});

test('CONTRIBUTING.md names the files to change', () => {
  expect(pathsIn('CONTRIBUTING.md')).toEqual(
    expect.arrayContaining(['.ci/run', 'docs/api-gaps.md', 'shared/src/contract/events.ts']),
  );
});

// npm and npx don't pass SIGTERM on, so what they run would keep its port.
test.each(files)('%s runs only commands in the background that a signal stops', (file) => {
  expect(read(file).match(/^ *np[mx] .*&$/gm) ?? []).toEqual([]);
});

// The next test that is added makes such a number wrong.
test.each(files)('%s has no number of tests', (file) => {
  expect(read(file)).not.toMatch(/\d (?:[a-z]+ )?tests\b/);
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

  it.each<[args: string[], status: number, output: RegExp]>([
    [['--help'], 0, /^ {2}verify +How fast[^]*^ {2}n8n-server +.* Only on request$/m],
    [['nothing'], 2, /^Unknown part "nothing"\. Choose from: verify, .*, n8n-server\.\n$/],
    [['verify', 'toString'], 2, /^Unknown part "toString"/],
    [['--nothing'], 2, /^Unknown option '--nothing'\. npm run bench -- --help lists the benchmarks\.\n$/],
  ])('npm run bench -- %j exits with %i', (args, expected, output) => {
    const argv = ['--disable-warning=ExperimentalWarning', 'test/bench/main.ts', ...args];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(expected);
    expect(stdout + stderr).toMatch(output);
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

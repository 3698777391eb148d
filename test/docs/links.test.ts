import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const SKIPPED = ['node_modules', 'dist', 'out', 'build'];
const filesOf = (patterns: string[]) =>
  globSync(patterns, {
    cwd: ROOT,
    exclude: (path) => SKIPPED.includes(path.split(/[\\/]/).at(-1) ?? path),
  }).sort();

const PAGES = filesOf(['*.md', '.github/**/*.md', '*/**/*.md']);
const SOURCES = filesOf(['{packages,shared,engines,scripts,demo,test,.github}/**/*.{html,json,ts,yaml,yml}']);

/** A link to a file or folder of the repository, as READMEs on npm need it. */
const ON_GITHUB = 'https://github.com/qr-service/qr-service-connector/(?:blob|tree)/main';

/** The targets of a page's links and images, outside code. */
function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^ *```[^]*?^ *```/gm, '').replaceAll(/`[^`\n]+`/g, '');
  return [...prose.matchAll(/\]\(([^\s)]+)\)|(?:src|href)="([^"]+)"/g)].map(
    ([, link, html]) => link ?? html!,
  );
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsIn(text: string): string[] {
  const prose = text.replaceAll(/^ *```[^]*?^ *```/gm, '');
  return [...prose.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/\]\([^)]*\)/g, '')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Whether a link leads to a file, folder or heading of the repository. Other sites aren't asked. */
function exists(link: string, page: string): boolean {
  const local = link.replace(new RegExp(`^${ON_GITHUB}`), '');
  if (/^[a-z]+:/i.test(local)) return true;
  const [path = '', anchor] = decodeURI(local).split('#', 2);
  let file = join(dirname(page), path);
  if (path === '') file = page;
  else if (path.startsWith('/')) file = path.slice(1);
  if (!existsSync(join(ROOT, file))) return false;
  if (anchor === undefined) return true;
  // GitHub shows a folder's README below its files.
  const target = statSync(join(ROOT, file)).isDirectory() ? join(file, 'README.md') : file;
  return anchor === 'readme' || anchorsIn(read(target)).includes(anchor);
}

test.each(PAGES)('%s links only to files and headings that exist', (page) => {
  expect(linksIn(read(page)).filter((link) => !exists(link, page))).toEqual([]);
});

test('sources link only to files and headings of the repository that exist', () => {
  const links = SOURCES.flatMap(
    (file) => read(file).match(new RegExp(`(?:${ON_GITHUB}|docs/api\\.md#)[\\w./#-]*\\w`, 'g')) ?? [],
  );
  expect(links.filter((link) => link.startsWith('docs/')).length).toBeGreaterThan(50);
  expect(links.filter((link) => !exists(link, ''))).toEqual([]);
});

test.each(['n8n-nodes-qr-service', 'mcp-server', 'emulator', 'probe'])(
  'the README of %s links to other folders by their full address, as npm shows it alone',
  (name) => {
    expect(linksIn(read(`packages/${name}/README.md`)).filter((link) => link.startsWith('../'))).toEqual([]);
  },
);

test('pages name only commands of the repository that exist', () => {
  const text = PAGES.map(read).join('\n');
  const named = [...text.matchAll(/\bnpm run (?:--?\w+ )*([\w:]+)/g)].map(([, name = '']) => name);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
  expect(named).toContain('zapier');
  expect(named.filter((name) => !Object.hasOwn(scripts, name) && name !== 'generate')).toEqual([]);
});

test.each(['docs/api.md', 'docs/architecture.md'])('%s names only files that exist', (page) => {
  const named = [...read(page).matchAll(/`([\w./]+\.ts)`/g)].map(([, name = '']) => name);
  const files = filesOf(['shared/src/**/*.ts', 'packages/n8n-nodes-qr-service/**/*.ts']);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});

test('the picture of the architecture has each entry point of the core', () => {
  const { exports } = JSON.parse(read('shared/package.json')) as { exports: Record<string, object> };
  const sources = JSON.stringify(exports).match(/(?<=\.\/src\/)[\w/]+\.ts/g) ?? [];
  expect(sources).toContain('index.ts');
  expect(sources.filter((source) => !read('docs/architecture.md').includes(`("${source}:`))).toEqual([]);
});

/** Every `x-gap` of a part of the contract. */
function gapsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'x-gap' ? [String(value).trim()] : gapsIn(value),
  );
}

test('docs/api.md says how each open point of the contract is read', () => {
  const text = read('docs/api.md');
  const gaps = gapsIn(parse(read('shared/contract/openapi.yaml')));
  const points = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, point = '']) => point);
  expect(gaps.length).toBeGreaterThan(20);
  expect(gaps.filter((gap) => !points.some((point) => gap.startsWith(point)))).toEqual([]);
});

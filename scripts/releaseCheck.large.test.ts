import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { installTool } from './tools/install.ts';

type Files = Record<string, string | Buffer | undefined>;

const REPOSITORY = { type: 'git', url: 'git+https://github.com/a/b.git' };
const ROOT = { name: 'root', version: '1.0.0', private: true, license: 'MIT', repository: REPOSITORY };
/** Files of a package with a library and a command, for which all checks pass. */
const SOUND: Files = {
  'README.md': '# Read me\n',
  'index.js': 'export const answer = 42;\n',
  'index.d.ts': 'export declare const answer: number;\n',
  'bin.js': '#!/usr/bin/env node\nconsole.log("usage: bin [--help]");\n',
};
const manifestOf = (name: string) => ({
  name,
  version: '1.0.0',
  description: 'A package',
  license: 'MIT',
  homepage: 'https://example.com',
  bugs: { url: 'https://example.com/bugs' },
  author: { name: 'A', email: 'a@example.com' },
  repository: { ...REPOSITORY, directory: `packages/${name}` },
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  bin: { [name]: 'bin.js' },
  files: ['*.js', '*.d.ts', '*.bin'],
  engines: { node: '>=20' },
});

let root: string;
beforeAll(() => Promise.all([installTool('package-checks'), installTool('mcpb')]), 600_000);
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'qr-service-release-check-'));
  const workspaces = ['packages/*'];
  write('.', { 'README.md': '# Root\n' });
  writeJson('package.json', { ...ROOT, workspaces, scripts: { build: 'node --version' } });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(folder: string, files: Files): void {
  mkdirSync(path.join(root, folder), { recursive: true });
  for (const [name, content] of Object.entries(files))
    if (content !== undefined) writeFileSync(path.join(root, folder, name), content);
}

const writeJson = (file: string, value: object) =>
  writeFileSync(path.join(root, file), JSON.stringify(value));

/** Adds a package that differs from the sound one. */
function add(name: string, changes: object = {}, files: Files = {}): void {
  write(`packages/${name}`, { ...SOUND, ...files });
  writeJson(`packages/${name}/package.json`, { ...manifestOf(name), ...changes });
}

/** Runs the command. Returns its failed checks, each with its output, by package. */
async function check(...args: string[]) {
  const script = path.join(__dirname, 'releaseCheck.ts');
  const argv = ['--disable-warning=ExperimentalWarning', script, '--root', root, ...args];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { code, stdout } = await promisify(execFile)(process.execPath, argv, { env }).then(
    (done) => ({ ...done, code: 0 }),
    (error: unknown) => error as { code: number; stdout: string },
  );
  const failures: Record<string, Record<string, string>> = {};
  for (const section of stdout.split('\n\n')) {
    const [title = '', ...lines] = section.split('\n');
    const failed = lines
      .join('\n')
      .split(/^ {2}(?=[✔✘])/m)
      .filter((text) => text.startsWith('✘'));
    if (failed.length > 0)
      failures[title] = Object.fromEntries(
        failed.map((text) => [/✘ (.*)/.exec(text)![1]!, text.slice(text.indexOf('\n') + 1)]),
      );
  }
  return { code, stdout, failures };
}

test('a new package passes all checks without settings, and a private one is not packed', async () => {
  add('sound', { dependencies: { 'sound-base': '1.0.0' } }, { 'index.js': "export * from 'sound-base';\n" });
  add('sound-base', { bin: undefined });
  add('sound-command', { exports: { './package.json': './package.json' } });
  add('internal', { private: true });
  const { code, stdout, failures } = await check('--tag', 'v1.0.0');
  expect({ code, failures }).toEqual({ code: 0, failures: {} });
  expect(stdout).toMatch(/✔ ready to release\n$/);
  const packed = [...stdout.matchAll(/kB +(\S+) +sha512-(\S+)/g)].map(([, ...columns]) => columns);
  expect(packed).toEqual(
    ['sound-base', 'sound-command', 'sound'].map((name) => {
      const file = `out/release/${name}-1.0.0.tgz`;
      return [
        file,
        createHash('sha512')
          .update(readFileSync(path.join(root, file)))
          .digest('base64'),
      ];
    }),
  );
});

const SERVER_JSON = {
  name: 'io.github.a/mcp',
  description: 'A server',
  packages: [{ registryType: 'npm', identifier: 'mcp' }],
};
const BUNDLE = {
  manifest_version: '0.3',
  name: 'mcp',
  description: 'A server',
  author: { name: 'A' },
  server: { type: 'node', entry_point: 'bin.js', mcp_config: { command: 'node' } },
};

const BROKEN: [name: string, changes: object, files: Files, failed: string, problem: RegExp][] = [
  ['leaky', {}, { 'extra.js': "'/home/someone/x'" }, 'no secrets, tests or local paths', /home folder/],
  [
    'tested',
    {},
    { 'a.test.js': '' },
    'no secrets, tests or local paths',
    /a\.test\.js is or contains a test/,
  ],
  ['large', {}, { 'large.bin': randomBytes(260_000) }, 'at most 250 kB', /the tarball has 26\d kB/],
  ['no-shebang', {}, { 'bin.js': 'console.log("usage")' }, 'publint', /bin/],
  ['no-types', { exports: './index.js' }, { 'index.d.ts': undefined }, 'types', /\. has no types/],
  ['wrong-types', {}, { 'index.d.ts': "export * from './other';\n" }, 'types', /InternalResolutionError/],
  ['undeclared', {}, { 'index.js': "export * from 'hono';\n" }, 'works installed alone', /'hono'/],
  ['no-exports', {}, { 'index.js': '' }, 'works installed alone', /exports nothing/],
  ['no-help', {}, { 'bin.js': '#!/usr/bin/env node\nprocess.exit(2);\n' }, 'works installed alone', /--help/],
  [
    'mcp',
    { mcpName: 'io.github.a/other' },
    { 'server.json': JSON.stringify(SERVER_JSON), 'manifest.json': JSON.stringify(BUNDLE) },
    "the MCP registry's entry, and the MCPB bundle",
    /names io\.github\.a\/mcp, and package\.json io\.github\.a\/other\n.*the bundle's command prints/,
  ],
  ['missing', { dependencies: { nothing: '1.0.0' } }, {}, 'works installed alone', /nothing isn't installed/],
];

test('each check reports the package that is broken that way, and what to do', async () => {
  for (const [name, changes, files] of BROKEN) add(name, changes, files);
  const { code, stdout, failures } = await check();
  const expected = BROKEN.map(([name, , , failed, problem]) => [
    `${name} 1.0.0`,
    {
      [failed]: expect.stringMatching(new RegExp(`^      [^]*${problem.source}[^]*\n    → [A-Z].*\\.$`, 'm')),
    },
  ]);
  expect({ code, failures }).toEqual({ code: 1, failures: Object.fromEntries(expected) });
  expect(stdout).toMatch(new RegExp(`✘ not ready to release: ${BROKEN.length} failed checks\n$`));
});

test("n8n's scanner checks every package with nodes", async () => {
  add('n8n-nodes-bad', { n8n: { nodes: [], credentials: [] } }, { 'extra.js': 'setTimeout(() => {}, 1);\n' });
  const { failures } = await check();
  expect(failures['n8n-nodes-bad 1.0.0']).toEqual({ "n8n's scanner": expect.stringContaining('setTimeout') });
});

test('the repository is checked as a whole, and one failure does not hide the next', async () => {
  add('later', { version: '2.0.0' });
  add('unpacked', { version: undefined });
  add('user', { dependencies: { internal: '1.0.0', later: '1.0.0' } });
  add('internal', { private: true });
  writeJson('package.json', { ...ROOT, workspaces: ['packages/*'], scripts: { build: 'node missing.js' } });
  const { code, failures } = await check('--tag', 'v1.0.0');
  expect(code).toBe(1);
  const repository = failures['The repository, with 4 packages']!;
  expect(repository).toEqual({
    builds: expect.stringContaining('missing.js'),
    'versions agree': expect.any(String),
    'pack unpacked': expect.stringContaining('must have name and version'),
  });
  for (const problem of [
    'later is 2.0.0, not 1.0.0',
    'user depends on later 1.0.0, but it is 2.0.0',
    'user depends on internal 1.0.0, but it is private',
  ])
    expect(repository['versions agree']).toContain(problem);
  expect(Object.keys(failures)).toEqual(['The repository, with 4 packages', 'user 1.0.0']);
});

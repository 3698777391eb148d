import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readWorkspaces } from '../workspaces.ts';
import { findPackageFileProblems } from './packageFiles.ts';

interface Manifest {
  name: string;
  version: string;
  license: string;
  private?: boolean;
  files?: string[];
  homepage: string;
  bugs: { url: string };
  author: unknown;
  repository: { type: string; url: string; directory?: string };
}

const ROOT = join(__dirname, '../..');
const PACKAGES = readWorkspaces(ROOT).map(({ folder }) => folder);
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
const root = manifestOf('.');
const licence = readFileSync(join(ROOT, 'LICENSE'));

describe('findPackageFileProblems', () => {
  const changelog = '# it\n\n## 1.2.0\n\n### Minor Changes\n\n- Adds a thing\n\n## 1.1.0\n\n';
  const problemsOf = (files: Record<string, string>, version = '1.2.0') =>
    findPackageFileProblems(
      {
        name: 'it',
        files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
      },
      { licence: Buffer.from('the licence'), version },
    );

  it.each(['', 'package/'])('accepts a licence and a changelog in "%s"', (folder) =>
    expect(problemsOf({ [`${folder}LICENSE`]: 'the licence', [`${folder}CHANGELOG.md`]: changelog })).toEqual(
      [],
    ),
  );

  it.each<[string, Record<string, string>, string, string]>([
    ['a missing licence', { 'CHANGELOG.md': changelog }, '1.2.0', 'LICENSE is missing'],
    [
      'the licence of a dependency only',
      { 'CHANGELOG.md': changelog, 'node_modules/a/LICENSE': 'the licence' },
      '1.2.0',
      'LICENSE is missing',
    ],
    [
      'another licence',
      { LICENSE: 'another licence', 'CHANGELOG.md': changelog },
      '1.2.0',
      "LICENSE differs from the repository's",
    ],
    ['a missing changelog', { LICENSE: 'the licence' }, '1.2.0', 'CHANGELOG.md is missing'],
    [
      'a changelog without the version',
      { LICENSE: 'the licence', 'CHANGELOG.md': changelog },
      '1.2',
      'CHANGELOG.md has no section "## 1.2"',
    ],
    [
      'a version without changes',
      { LICENSE: 'the licence', 'CHANGELOG.md': changelog },
      '1.1.0',
      'CHANGELOG.md lists no change under "## 1.1.0"',
    ],
  ])('reports %s', (_what, files, version, problem) =>
    expect(problemsOf(files, version)).toEqual([`it: ${problem}`]),
  );

  it('accepts a package that is only released with the others', () => {
    const files = {
      LICENSE: 'the licence',
      'CHANGELOG.md': '# it\n\n## 2.0.0\n\nNo changes in this release.\n',
    };
    expect(problemsOf(files, '2.0.0')).toEqual([]);
  });
});

test.each(PACKAGES)('%s has the licence, and a changelog with its version', (folder) => {
  const files = ['LICENSE', 'CHANGELOG.md'].map((path) => ({
    path,
    content: readFileSync(join(ROOT, folder, path)),
  }));
  const { version } = manifestOf(folder);
  expect(findPackageFileProblems({ name: folder, files }, { licence, version })).toEqual([]);
});

test('finds the packages', () => {
  expect(PACKAGES).toEqual(
    expect.arrayContaining(['shared', 'packages/emulator', 'packages/zapier-qr-service']),
  );
});

test('npm packs the licence, the changelog and no build cache into every published package', async () => {
  const published = PACKAGES.filter((folder) => !manifestOf(folder).private);
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', ...published.flatMap((at) => ['-w', at])];
  const options = { cwd: ROOT, shell: process.platform === 'win32', maxBuffer: 10_000_000 };
  const { stdout } = await promisify(execFile)('npm', args, options);
  const packed = (JSON.parse(stdout) as { name: string; files: { path: string }[] }[]).map(
    ({ name, files }) => [
      name,
      files.map(({ path }) => path).filter((path) => /^[A-Z]\w+(\.md)?$|\.tsbuildinfo$/.test(path)),
    ],
  );
  expect(packed).toEqual(
    published.map((folder) => [manifestOf(folder).name, ['CHANGELOG.md', 'LICENSE', 'README.md']]),
  );
});

test('every manifest names the same licence, author, repository and issue tracker', () => {
  const url = root.bugs.url.replace(/\/issues$/, '');
  expect(root).toMatchObject({
    license: 'MIT',
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    author: { name: expect.stringMatching(/\w/), email: expect.stringMatching(/^\S+@\S+$/) },
    repository: { type: 'git', url: `git+${url}.git` },
  });
  expect(licence.toString()).toMatch(
    /^MIT License\n\nCopyright \(c\) 2026 The QR Service connector authors\n/,
  );
  for (const folder of PACKAGES) {
    const { license, homepage, bugs, author, repository } = manifestOf(folder);
    expect([folder, { license, homepage, bugs, author, repository }]).toEqual([
      folder,
      {
        license: root.license,
        homepage: `${url}/tree/main/${folder}#readme`,
        bugs: root.bugs,
        author: root.author,
        repository: { ...root.repository, directory: folder },
      },
    ]);
  }
});

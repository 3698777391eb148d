import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findManifestProblems, findVersionProblems, type Lock, type Manifest } from './manifests.ts';
import { RELEASED } from './packages.ts';

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(__dirname, '../..', file), 'utf8'));
const manifestOf = (folder: string) => read(path.join(folder, 'package.json')) as Manifest;
const root = manifestOf('.');

describe.each(RELEASED)('the manifest of $name', ({ name, folder }) => {
  const manifest = manifestOf(folder);
  const find = (changes: object) => findManifestProblems({ ...manifest, ...changes }, folder, root);

  it('has its name and can be published', () => {
    expect(manifest.name).toBe(name);
    expect(find({})).toEqual([]);
  });

  it.each<[object, RegExp]>([
    [{ description: '' }, /no description/],
    [{ homepage: undefined }, /no homepage/],
    [{ bugs: {} }, /no bugs\.url/],
    [{ author: { name: 'A' } }, /no author\.email/],
    [{ private: true }, /is private/],
    [{ license: 'ISC' }, /another licence/],
    [{ repository: { ...manifest.repository, url: 'git+https://example.com/a.git' } }, /repository\.url/],
    [{ repository: { ...manifest.repository, directory: 'elsewhere' } }, /repository\.directory/],
    [{ scripts: { postinstall: 'node .' } }, /install script postinstall/],
  ])('is refused with %j', (changes, problem) => {
    expect(find(changes)).toEqual([expect.stringMatching(problem)]);
  });
});

describe('the versions', () => {
  const folders = [...RELEASED.map(({ folder }) => folder), 'packages/zapier-qr-service'];
  const workspaces = Object.fromEntries(folders.map((folder) => [folder, manifestOf(folder)]));
  const lock = read('package-lock.json') as Lock;
  const names = RELEASED.map(({ name }) => name);
  const version = workspaces['shared']!.version;

  it('agree in this repository, and with the tag', () => {
    expect(findVersionProblems(workspaces, names, lock, `v${version}`)).toEqual([]);
  });

  it('must be the one of the tag', () => {
    expect(findVersionProblems(workspaces, names, lock, 'v99.0.0')).toEqual([
      `the tag is v99.0.0, but the version ${version}`,
    ]);
  });

  it('must be the same in the manifests, the dependencies and the lock file', () => {
    const core = { ...workspaces['shared']!, version: '99.0.0' };
    const problems = findVersionProblems({ ...workspaces, shared: core }, names, lock);
    expect(problems).toEqual([
      expect.stringMatching(/^@qr-service\/core is 99\.0\.0, but .* in package-lock\.json/),
      ...['qr-service-emulator', 'n8n-nodes-qr-service', 'qr-service-mcp', 'zapier-qr-service'].map((name) =>
        expect.stringMatching(`^${name} depends on @qr-service/core .*, which is 99\\.0\\.0$`),
      ),
      expect.stringMatching(/have different versions: 99\.0\.0, /),
    ]);
  });
});

it('changesets releases these packages with one version', () => {
  const { fixed } = read('.changeset/config.json') as { fixed: string[][] };
  expect(fixed.map((group) => group.toSorted())).toEqual([RELEASED.map(({ name }) => name).toSorted()]);
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { publishedOf, readManifest, readWorkspaces } from '../workspaces.ts';
import { findManifestProblems, findVersionProblems, type Lock } from './manifests.ts';

const ROOT = path.join(__dirname, '../..');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
const root = readManifest(ROOT);
const workspaces = readWorkspaces(ROOT);
const published = publishedOf(workspaces);

test('the packages are published in an order in which each finds its dependencies', () => {
  const names = published.map(({ manifest }) => manifest.name);
  const expected = ['@qr-service/core', 'n8n-nodes-qr-service', 'qr-service-emulator'];
  expect(names).toEqual(expect.arrayContaining(expected));
  expect(names).not.toContain('zapier-qr-service');
  expect(names.indexOf('@qr-service/core')).toBeLessThan(names.indexOf('qr-service-emulator'));
});

test('a dependency comes first, whatever the order of the workspaces', () => {
  const workspace = (name: string, dependencies = {}) => ({
    folder: name,
    manifest: { name, version: '1.0.0', dependencies },
  });
  const [a, b, c] = [
    workspace('a', { b: '1.0.0' }),
    workspace('b', { c: '1.0.0', other: '1.0.0' }),
    workspace('c'),
  ];
  expect(publishedOf([a, b, c])).toEqual([c, b, a]);
  expect(publishedOf([a, workspace('b', { a: '1.0.0' })])).toHaveLength(2);
});

describe.each(published)('the manifest in $folder', ({ folder, manifest }) => {
  const find = (changes: object) => findManifestProblems({ ...manifest, ...changes }, folder, root);

  it('can be published', () => expect(find({})).toEqual([]));

  it.each<[object, RegExp]>([
    [{ description: '' }, /no description/],
    [{ homepage: undefined }, /no homepage/],
    [{ bugs: {} }, /no bugs\.url/],
    [{ author: { name: 'A' } }, /no author\.email/],
    [{ license: 'ISC' }, /another license/],
    [{ repository: { ...manifest.repository, url: 'git+https://example.com/a.git' } }, /repository\.url/],
    [{ repository: { ...manifest.repository, directory: 'elsewhere' } }, /repository\.directory/],
    [{ scripts: { postinstall: 'node .' } }, /install script postinstall/],
  ])('is refused with %j', (changes, problem) => {
    expect(find(changes)).toEqual([expect.stringMatching(problem)]);
  });
});

describe('the versions', () => {
  const lock = read('package-lock.json') as Lock;
  const { version } = published[0]!.manifest;

  it('agree in this repository, and with the tag', () => {
    expect(findVersionProblems(workspaces, lock, `v${version}`)).toEqual([]);
  });

  it('must be the one of the tag', () => {
    expect(findVersionProblems(workspaces, lock, 'v99.0.0')).toEqual([
      `the tag is v99.0.0, but the version is ${version}`,
    ]);
  });

  it('must be the same in the manifests, the dependencies and the lock file', () => {
    const changed = workspaces.map(({ folder, manifest }) => ({
      folder,
      manifest: folder === 'shared' ? { ...manifest, version: '99.0.0' } : manifest,
    }));
    const dependents = workspaces.filter(({ manifest: { dependencies, devDependencies } }) =>
      Object.hasOwn({ ...dependencies, ...devDependencies }, '@qr-service/core'),
    );
    expect(dependents.length).toBeGreaterThan(2);
    const problems = findVersionProblems(changed, lock);
    expect(problems).toHaveLength(dependents.length + 2);
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^@qr-service\/core is 99\.0\.0, but .* in package-lock\.json/),
        ...dependents.map(({ manifest }) =>
          expect.stringMatching(`^${manifest.name} depends on @qr-service/core .*, which is 99\\.0\\.0$`),
        ),
        expect.stringMatching(/have different versions: @qr-service\/core 99\.0\.0, /),
      ]),
    );
  });
});

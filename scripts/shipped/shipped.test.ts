import { findLeaks } from './findLeaks.ts';
import { findDisallowedLicenses } from './licenses.ts';
import { foreignOrigins, licensedPackages, packagesIn } from './packages.ts';

const ROOT = '/somewhere/of/mine';
const artifact = (files: Record<string, string>) => ({
  name: 'it',
  files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
});
const bundle = (text: string) => ({ path: 'dist/index.js', content: Buffer.from(text) });

describe('the origins of a bundle', () => {
  it("are read from esbuild's comments: libraries, and files of other folders", () => {
    const text = [
      'var x;\n// ../../shared/src/wire/list.ts\n12345\n',
      '// ../../node_modules/left-pad/index.js\n12\n',
      '// nodes/a.ts\n1\n',
      '// ../../node_modules/a/node_modules/@b/c/d.cjs\n// ../../node_modules/a/node_modules/@b/c/e.cjs\n',
      '// ../../test/secret.ts\n',
    ];
    expect(foreignOrigins(bundle(text.join('')))).toEqual(['left-pad', '@b/c', '../../test/secret.ts']);
  });

  it('cannot be read without the comments', () =>
    expect(() => foreignOrigins(bundle('var x=1'))).toThrow(/has no esbuild comments/));
});

test('packages are listed with their versions and licenses, without their subfolders', () => {
  const manifest = (name: string) => JSON.stringify({ name, version: '1.0.0', license: 'MIT' });
  const found = packagesIn(
    artifact({
      'package.json': manifest('own'),
      'node_modules/a/package.json': manifest('a'),
      'node_modules/a/esm/package.json': '{"type":"module"}',
      'node_modules/a/node_modules/@b/c/package.json': '{"name":"@b/c","version":"2.0.0"}',
    }),
  );
  expect(found).toEqual([
    { name: '@b/c', version: '2.0.0', license: 'none' },
    { name: 'a', version: '1.0.0', license: 'MIT' },
  ]);
});

test('packages in a bundle are listed by their licenses', () => {
  const licenses =
    '@a/b 1.0.0 (Apache-2.0)\nc 2.1.0 (MIT)\n\nA text (of a license)\n---\n\nd 0.1.0-beta.1 (ISC)\n\nText\n';
  expect(licensedPackages(licenses)).toEqual([
    { name: '@a/b', version: '1.0.0', license: 'Apache-2.0' },
    { name: 'c', version: '2.1.0', license: 'MIT' },
    { name: 'd', version: '0.1.0-beta.1', license: 'ISC' },
  ]);
});

test.each([
  ['MIT', []],
  ['(MIT OR GPL-3.0)', []],
  ['(MIT AND BSD-3-Clause)', []],
  ['(MIT AND GPL-3.0)', ['a@1.0.0 has the license (MIT AND GPL-3.0)']],
  ['none', ['a@1.0.0 has the license none']],
])('reports the license %s unless it is permissive', (license, problems) => {
  expect(findDisallowedLicenses([{ name: 'a', version: '1.0.0', license }])).toEqual(problems);
});

test.each<[string, string, string]>([
  ['dist/index.js.map', '{}', 'a source map'],
  ['dist/tsconfig.tsbuildinfo', '{}', 'a build cache'],
  ['dist/index.js', '//# sourceMappingURL=data:application/json;base64,e30=', 'a source map'],
  ['.env', '', 'a settings file'],
  ['dist/a.test.js', '', 'a test'],
  ['server.pem', '', 'a key'],
  ['dist/index.js', `-----BEGIN RSA PRIVATE KEY-----\nMIIE`, 'a private key'],
  ['dist/index.js', `"qrs_${'a1'.repeat(12)}"`, 'an API key of the service'],
  ['dist/index.js', `token: ghp_${'a'.repeat(36)}`, 'a token'],
  ['dist/index.js', `at ${ROOT}/shared/x.ts`, `a path on this machine, ${ROOT}`],
  ['dist/index.js', '/home/someone/project', 'a home folder path'],
])('reports %s with %j as a leak', (path, text, what) => {
  expect(findLeaks(artifact({ [path]: text }), ROOT)).toEqual([`${path} is or contains ${what}`]);
});

test('reports no leak in a clean bundle', () => {
  const files = {
    'dist/index.js': '//# sourceMappingURL=a.js.map\nconst qrs_test = "https://x.example/home";',
    'README.md': 'npm install /tmp/a.tgz; docker run -v n8n_data:/home/node/.n8n',
  };
  expect(findLeaks(artifact(files), ROOT)).toEqual([]);
});

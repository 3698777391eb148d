import { readAudit } from './advisories.ts';
import { compare } from './approved.ts';
import { findLeaks } from './findLeaks.ts';
import { findDisallowedLicences } from './licences.ts';
import { bundleParts, packagesIn } from './packages.ts';
import { licensedPackages } from './thirdParty.ts';

const ROOT = '/somewhere/of/mine';
const artefact = (files: Record<string, string>) => ({
  name: 'it',
  files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
});
const bundle = (text: string) => ({ path: 'dist/index.js', content: Buffer.from(text) });

describe('the parts of a bundle', () => {
  it("are read from esbuild's comments", () => {
    const parts = bundleParts(
      bundle(
        [
          'var x;\n// ../../shared/src/wire/list.ts\n12345\n',
          '// ../../node_modules/left-pad/index.js\n12\n',
          '// nodes/a.ts\n1\n',
          '// ../../node_modules/a/node_modules/@b/c/d.cjs\n',
        ].join(''),
      ),
    );
    expect(parts.map(({ origin }) => origin)).toEqual(['own', 'left-pad', '@b/c']);
    expect(parts.every(({ bytes }) => bytes > 0)).toBe(true);
  });

  it('keep their path if they are from another folder', () =>
    expect(bundleParts(bundle('// ../../test/secret.ts\n'))[0]?.origin).toBe('../../test/secret.ts'));

  it('cannot be read without the comments', () =>
    expect(() => bundleParts(bundle('var x=1'))).toThrow(/has no esbuild comments/));
});

test('packages are listed with their versions and sizes, without nested packages', () => {
  const manifest = (name: string, version: string) => JSON.stringify({ name, version, license: 'MIT' });
  const found = packagesIn(
    artefact({
      'package.json': manifest('own', '1.0.0'),
      'node_modules/a/package.json': manifest('a', '1.0.0'),
      'node_modules/a/esm/package.json': '{"type":"module"}',
      'node_modules/a/index.js': '12345',
      'node_modules/a/node_modules/@b/c/package.json': '{"name":"@b/c","version":"2.0.0"}',
    }),
  );
  expect(found).toMatchObject([
    { name: '@b/c', version: '2.0.0', licence: 'none' },
    { name: 'a', version: '1.0.0', licence: 'MIT' },
  ]);
  expect(found[1]?.bytes).toBe(manifest('a', '1.0.0').length + 5 + '{"type":"module"}'.length);
});

test('packages in a bundle are listed by their licences, with the sizes of their code', () => {
  const licences =
    '@a/b 1.0.0 (Apache-2.0)\nc 2.1.0 (MIT)\n\nA text (of a licence)\n---\n\nd 0.1.0-beta.1 (ISC)\n\nText\n';
  const found = licensedPackages(artefact({ 'package/dist/THIRD_PARTY_LICENSES.txt': licences }), [
    { origin: 'own', bytes: 10 },
    { origin: 'c', bytes: 3 },
    { origin: 'c', bytes: 4 },
  ]);
  expect(found).toEqual([
    { name: '@a/b', version: '1.0.0', licence: 'Apache-2.0', bytes: 0 },
    { name: 'c', version: '2.1.0', licence: 'MIT', bytes: 7 },
    { name: 'd', version: '0.1.0-beta.1', licence: 'ISC', bytes: 0 },
  ]);
  expect(() => licensedPackages(artefact({}), [])).toThrow('it has no licences of third-party packages.');
});

test.each([
  ['MIT', []],
  ['(MIT OR GPL-3.0)', []],
  ['(MIT AND BSD-3-Clause)', []],
  ['(MIT AND GPL-3.0)', ['a@1.0.0 has the license (MIT AND GPL-3.0)']],
  ['none', ['a@1.0.0 has the license none']],
])('reports the licence %s unless it is permissive', (licence, problems) => {
  expect(findDisallowedLicences([{ name: 'a', version: '1.0.0', licence, bytes: 1 }])).toEqual(problems);
});

test("reports packages that ship without approval, and approved ones that don't ship", () => {
  const a = { name: 'a', version: '1.0.0', licence: 'MIT' };
  expect(compare([a], [a])).toEqual([]);
  expect(compare([a], [{ ...a, version: '1.0.1' }])).toEqual([
    "a@1.0.1 (MIT) ships but isn't approved",
    "a@1.0.0 (MIT) is approved but doesn't ship",
  ]);
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
  expect(findLeaks(artefact({ [path]: text }), ROOT)).toEqual([`${path} is or contains ${what}`]);
});

test('reports no leak in a clean bundle', () => {
  const files = {
    'dist/index.js': '//# sourceMappingURL=a.js.map\nconst qrs_test = "https://x.example/home";',
    'README.md': 'npm install /tmp/a.tgz; docker run -v n8n_data:/home/node/.n8n',
  };
  expect(findLeaks(artefact(files), ROOT)).toEqual([]);
});

test('returns advisories, or why npm audit failed', () => {
  const output = '{"vulnerabilities":{"a":{"severity":"high","range":"<2"}}}';
  expect(readAudit(output)).toEqual({ known: ['a <2: high'] });
  expect(readAudit('{"vulnerabilities":{}}')).toEqual({ known: [] });
  expect(readAudit('{"message":"405 Method Not Allowed"}')).toEqual({
    unavailable: '405 Method Not Allowed',
  });
  expect(readAudit('')).toEqual({ unavailable: 'npm audit returned no report' });
});

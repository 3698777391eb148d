import { distTag, entryPointsOf, tarballName } from './packages.ts';

test.each([
  ['1.0.0', undefined],
  ['1.0.0-next.0', 'next'],
  ['1.0.0-beta', 'beta'],
  ['1.0.0-0', 'next'],
])('publishes %s with the dist-tag %s', (version, tag) => expect(distTag(version)).toBe(tag));

test('names tarballs as npm does', () => {
  expect(tarballName({ name: '@a/b', version: '1.0.0' })).toBe('a-b-1.0.0.tgz');
});

const NONE: object[] = [{}, { exports: './data.json' }, { exports: { './package.json': './package.json' } }];
test.each(NONE)('%j has no modules', (manifest) => {
  expect(entryPointsOf({ name: 'a', version: '1.0.0', ...manifest })).toEqual([]);
});

test.each([
  [{ main: 'index.js' }, [{ path: '.', hasRequire: true }]],
  [{ exports: './index.js' }, [{ path: '.', hasRequire: false }]],
  [{ exports: { import: './a.js', require: './a.cjs' } }, [{ path: '.', hasRequire: true }]],
  [
    { exports: { './b': { default: './b.js' }, './c.yaml': './c.yaml' } },
    [{ path: './b', hasRequire: false }],
  ],
])('%j has the modules %j', (manifest, expected) => {
  expect(entryPointsOf({ name: 'a', version: '1.0.0', ...manifest })).toEqual(expected);
});

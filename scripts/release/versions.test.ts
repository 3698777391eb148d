import path from 'node:path';
import { publishedOf, readWorkspaces, type Workspace } from '../packages/workspaces.ts';
import { findVersionProblems } from './versions.ts';

const workspaces = readWorkspaces(path.join(__dirname, '../..'));

const workspace = (name: string, dependencies = {}, more = {}): Workspace => ({
  folder: name,
  manifest: { name, version: '1.0.0', dependencies, ...more },
});

test('packages are published after their dependencies, and private ones are not', () => {
  const names = publishedOf(workspaces).map(({ manifest }) => manifest.name);
  expect(names).not.toContain('zapier-qr-service');
  expect(names.indexOf('@qr-service/core')).toBeLessThan(names.indexOf('qr-service-emulator'));
  const [a, b, c] = [
    workspace('a', { b: '1.0.0' }),
    workspace('b', { c: '1.0.0', other: '1.0.0' }),
    workspace('c'),
  ];
  expect(publishedOf([a, b, c])).toEqual([c, b, a]);
});

test('the versions of this repository agree', () => {
  expect(findVersionProblems(workspaces)).toEqual([]);
});

test.each<[what: string, workspaces: Workspace[], tag: string | undefined, problem: string]>([
  ['another tag', [workspace('a')], 'v1.0.1', 'a is 1.0.0, not 1.0.1'],
  [
    'another version',
    [workspace('a'), workspace('b', {}, { version: '2.0.0' })],
    undefined,
    'b is 2.0.0, not 1.0.0',
  ],
  [
    'an older dependency',
    [workspace('a'), workspace('b', { a: '0.9.0' })],
    undefined,
    'b depends on a 0.9.0, but it is 1.0.0',
  ],
  [
    'a private dependency',
    [workspace('a', {}, { private: true }), workspace('b', { a: '1.0.0' })],
    'v1.0.0',
    'b depends on a 1.0.0, but it is private',
  ],
])('%s is a problem', (_what, all, tag, problem) => {
  expect(findVersionProblems(all, tag)).toEqual([problem]);
});

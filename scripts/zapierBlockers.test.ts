import { findBlockers, type ReleaseFacts } from './zapierBlockers.ts';

const READY: ReleaseFacts = {
  version: '1.4.0',
  urls: ['https://api.codes.test', 'https://codes.test'],
  changelog: '- Fix the names of images.',
  isRegistered: true,
  changedFiles: [],
};

test('finds no blocker for a version that is ready', () => {
  expect(findBlockers(READY)).toEqual([]);
});

test.each<[what: string, facts: Partial<ReleaseFacts>, blocker: RegExp]>([
  [
    'a placeholder URL',
    { urls: ['https://codes.test', 'https://a.example'] },
    /brand\.ts.*https:\/\/a\.example/,
  ],
  ['no registration', { isRegistered: false }, /register/],
  ['a version below 1.0.0', { version: '0.1.0' }, /1\.0\.0 or higher/],
  ['no changelog section', { changelog: '' }, /Add a section "## 1\.4\.0"/],
  ['uncommitted changes', { changedFiles: ['package.json'] }, /Commit or stash your changes: package\.json/],
])('%s blocks a release', (_what, facts, blocker) => {
  expect(findBlockers({ ...READY, ...facts })).toEqual([expect.stringMatching(blocker)]);
});

test('a labeled test version needs neither a changelog section nor 1.0.0', () => {
  expect(findBlockers({ ...READY, version: '0.0.0-trial', changelog: '' })).toEqual([]);
});

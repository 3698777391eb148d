import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findWorkflowProblems } from './workflowRules.ts';

const RELEASE = readFileSync(path.join(__dirname, '../../.github/workflows/release.yml'), 'utf8');

test('finds no problem in the release workflow', () => {
  expect(findWorkflowProblems(RELEASE)).toEqual([]);
});

test.each<[what: string, from: string | RegExp, to: string, problem: RegExp]>([
  ['default permissions', /^permissions: \{\}$/m, '', /^has no permissions/],
  ['all permissions', /^permissions: \{\}$/m, 'permissions: write-all', /^has all permissions/],
  ['no concurrency group', /^concurrency:\n( .*\n)+/m, '', /^has no concurrency group/],
  ['a job without a timeout', / +timeout-minutes: .*\n/, '', /^has no timeout-minutes in the job pack/],
  ['a token in the checkout', /persist-credentials: false/, 'fetch-depth: 1', /^leaves its token/],
  [
    'a token in a job that installs',
    /node scripts\/releasePublish/,
    'npm ci && $&',
    /^lets what npm installs/,
  ],
  ['an action at a tag', /checkout@\S+ #/, 'checkout@v6 #', /^uses actions\/checkout@v6 # v6/],
  ['an action at a commit of an unknown version', / # v6\.0\.1/, '', /^uses actions\/checkout@\w+: pin it/],
])('finds %s', (_what, from, to, problem) => {
  const changed = RELEASE.replace(from, to);
  expect(changed).not.toBe(RELEASE);
  expect(findWorkflowProblems(changed)).toEqual([expect.stringMatching(problem)]);
});

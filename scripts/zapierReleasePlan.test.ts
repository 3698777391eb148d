import {
  findBlockers,
  planRelease,
  ReleaseArgumentError,
  USAGE,
  type ReleaseFacts,
} from './zapierReleasePlan.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const plan = (line: string, version = '1.4.0') => {
  const args = line === '' ? [] : line.split(' ');
  const { isChecked, commands } = planRelease(args, version, NOW);
  return { isChecked, commands: commands.map((command) => command.join(' ')) };
};

const CHECKS = ['npm run zapier:validate', 'npx jest test/zapier/publishing.test.ts'];
const BUILD = 'npm run zapier:build -- --public';

test.each<[line: string, isChecked: boolean, ...commands: string[]]>([
  ['check', true, ...CHECKS],
  ['preview', true, ...CHECKS, BUILD, 'npm run zapier -- upload'],
  [
    'preview ana@example.com bo@example.com',
    true,
    ...CHECKS,
    BUILD,
    'npm run zapier -- upload',
    'npm run zapier -- users:add ana@example.com 1.4.0',
    'npm run zapier -- users:add bo@example.com 1.4.0',
  ],
  ['promote', true, ...CHECKS, 'npm run zapier -- promote 1.4.0'],
  ['migrate 1.3.9 1', false, 'npm run zapier -- migrate 1.3.9 1.4.0 1'],
  ['migrate 1.3.10 100', false, 'npm run zapier -- migrate 1.3.10 1.4.0 100'],
  ['migrate 1.3.9 ana@example.com', false, 'npm run zapier -- migrate 1.3.9 1.4.0 --user ana@example.com'],
  ['rollback 1.3.9', false, 'npm run zapier -- migrate 1.4.0 1.3.9'],
  ['deprecate 1.3.9 2026-12-14', false, 'npm run zapier -- deprecate 1.3.9 2026-12-14'],
  ['deprecate 0.9.0 2027-11-22', false, 'npm run zapier -- deprecate 0.9.0 2027-11-22'],
])('"%s" runs its commands in order', (line, isChecked, ...commands) => {
  expect(plan(line)).toEqual({ isChecked, commands });
});

test.each<[line: string, reason: RegExp, version?: string]>([
  ['', /^Choose a stage/],
  ['publish', /^"publish" isn't a stage/],
  ['constructor', /^"constructor" isn't a stage/],
  ['check now', /^Expected 0 arguments after the stage, got 1/],
  ['preview ana', /^"ana" isn't an email address/],
  ['preview -f@example.com', /^"-f@example\.com" isn't an email address/],
  ['preview ana@example.com&calc', /isn't an email address/],
  ['migrate 1.3.9 ana@$(id)', /is neither a percentage/],
  ['promote 1.4.0', /^Expected 0 arguments/],
  ['promote', /^1\.4\.0-beta has a label/, '1.4.0-beta'],
  ['migrate 1.3.9', /^Expected 2 arguments after the stage, got 1/],
  ['migrate 1.3.9 0', /^"0" is neither a percentage/],
  ['migrate 1.3.9 101', /^"101" is neither/],
  ['migrate 1.3.9 10%', /^"10%" is neither/],
  ['migrate 1.3 10', /^"1\.3" isn't a version/],
  ['migrate 1.4.0 10', /To move them back, use rollback/],
  ['migrate 1.10.0 10', /To move them back, use rollback/],
  ['migrate 0.9.0 10', /^0\.9\.0 and 1\.4\.0 differ in the major version/],
  ['rollback 1.4.0', /^1\.4\.0 isn't older than 1\.4\.0/],
  ['rollback 1.5.0', /^1\.5\.0 isn't older/],
  ['rollback 0.9.0', /differ in the major version/],
  ['deprecate 1.4.0 2027-03-31', /^1\.4\.0 isn't older than 1\.4\.0/],
  ['deprecate 1.3.9 31.03.2027', /isn't a date/],
  ['deprecate 1.3.9 2027-02-30', /isn't a date/],
  ['deprecate 1.3.9 2026-12-13', /at least 3 weeks/],
  ['deprecate 1.3.9 2027-11-23', /at most 1 year/],
])('rejects "%s"', (line, reason, version = '1.4.0') => {
  expect(() => plan(line, version)).toThrow(ReleaseArgumentError);
  expect(() => plan(line, version)).toThrow(reason);
});

test('the usage lists every stage', () => {
  for (const stage of ['check', 'preview', 'promote', 'migrate', 'rollback', 'deprecate'])
    expect(USAGE).toMatch(new RegExp(`^ {2}${stage} `, 'm'));
});

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

test('a labelled test version needs neither a changelog section nor 1.0.0', () => {
  expect(findBlockers({ ...READY, version: '0.0.0-trial', changelog: '' })).toEqual([]);
});

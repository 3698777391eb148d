import { findSubjectProblems } from './commitSubjects.ts';

test.each([
  'Retry a 503 with the same idempotency key',
  'Pass the cursor on',
  'Embed the icon',
  'Merge the poll of one list',
])('accepts %j', (subject) => {
  expect(findSubjectProblems(subject)).toEqual([]);
});

test.each([
  ['Add x'.padEnd(73, 'x'), 'is longer than 72 characters'],
  ['Fix: retries', 'has a prefix'],
  ['add retries', 'has no capital letter'],
  ['Add retries.', 'ends with a full stop'],
  ['Added retries', 'isn\'t an imperative, such as "Add"'],
  ['WIP', 'says nothing: make it part of the commit that it corrects'],
  ["Merge branch 'retries' into main", 'says nothing: name what the merge brings'],
])('refuses %j', (subject, problem) => {
  expect(findSubjectProblems(subject)).toEqual([problem]);
});

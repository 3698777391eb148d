import { findSubjectProblems } from './commitSubjects.ts';

test.each([
  'Retry a 503 with the same idempotency key',
  'Pass the cursor on',
  'Embed the icon',
  'Add x'.padEnd(72, 'x'),
])('accepts %j', (subject) => {
  expect(findSubjectProblems(subject)).toEqual([]);
});

test.each([
  ['Add x'.padEnd(73, 'x'), 'is longer than 72 characters'],
  ['Fix: retries', 'has a prefix'],
  ['add retries', 'has no capital letter'],
  ['Add retries.', 'ends with a full stop'],
  ['Added retries', 'isn\'t an imperative, such as "Add"'],
  ['Adding retries', 'isn\'t an imperative, such as "Add"'],
  ['Adds retries', 'isn\'t an imperative, such as "Add"'],
  ['Format', 'says nothing: make it part of the commit that it corrects'],
  ['Format the moved files', 'says nothing: make it part of the commit that it corrects'],
  ['Fix review comments', 'says nothing: make it part of the commit that it corrects'],
  ['WIP', 'says nothing: make it part of the commit that it corrects'],
])('refuses %j', (subject, problem) => {
  expect(findSubjectProblems(subject)).toEqual([problem]);
});

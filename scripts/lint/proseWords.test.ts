import { findIdioms } from './proseWords.ts';

test.each([
  ['The base URL is no URL.', 'is no'],
  ['how to mend it', 'mend'],
  ['the response of whatever listens', 'of whatever'],
  ['publish a code, say.', ', say'],
  ['(publish a code, say)', ', say'],
  ['until the settings are put right', 'put right'],
  ['The node makes no second code.', 'makes no second'],
  ['What comes of it', 'What comes of'],
  ['The run goes on.', 'goes on'],
  ['the base address of the service', 'base address'],
  ['loads it anew', 'anew'],
  ['The only write that acts twice.', 'acts twice'],
  ['It takes no key, also not one that is saved.', ', also not'],
  ['so that it be read again', 'so that it be'],
  ['a wrapper, whatever its name', 'whatever its name'],
  ['It returns that which it read.', 'that which'],
  ['The error tells what to do.', 'tells what'],
  ['It would wait for ever.', 'for ever'],
  ['a 429 that names no wait', 'names no'],
])('%j holds an idiom', (text, idiom) => {
  expect(findIdioms(text).map((found) => found.text)).toContain(idiom);
});

test.each([
  'There is no such code.',
  'There is no code, and the cursor is no longer valid.',
  'We recommend it. It is an amendment.',
  "Users say 'yes', and the docs say so.",
  'the right-hand side',
  'an ongoing run',
  'The error tells users what to do, for every step, so that it becomes clear.',
  'All names, no matter which; usernames too. It says that, which helps.',
])('%j holds none', (text) => {
  expect(findIdioms(text)).toEqual([]);
});

test('finds words that span the lines of a comment, and says what to write', () => {
  expect(findIdioms('/**\n * The response of\n * whatever listens, which goes\n * on.\n */')).toEqual([
    { line: 2, text: 'of * whatever', use: 'any' },
    { line: 3, text: 'goes * on', use: 'continue, resume' },
  ]);
});

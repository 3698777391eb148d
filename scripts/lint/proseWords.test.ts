import { findIdioms } from './proseWords.ts';

test('finds idioms and British spelling, also across the lines of a comment and inside of names', () => {
  const text =
    '/**\n * The response of\n * whatever listens, which goes\n * on.\n */\nconst normaliseColour = "a licence";';
  expect(findIdioms(text)).toEqual([
    { line: 2, text: 'of * whatever', use: 'any' },
    { line: 3, text: 'goes * on', use: 'continue, resume' },
    { line: 6, text: 'normalis', use: 'normaliz' },
    { line: 6, text: 'Colour', use: 'color' },
    { line: 6, text: 'licence', use: 'license' },
  ]);
});

test.each([
  'There is no such code.',
  'There is no code, and the cursor is no longer valid.',
  'We recommend it. It is an amendment.',
  'The error tells users what to do, for every step, so that it becomes clear.',
  'A promise of advice to surprise, revise, advertise and exercise; the latest analyses.',
])('%j holds none', (text) => {
  expect(findIdioms(text)).toEqual([]);
});

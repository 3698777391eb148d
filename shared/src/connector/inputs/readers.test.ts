import { anyCharacter, fc } from '../../../../test/support/fastCheck.ts';
import { PARAMETER_VALUES, type Kind } from '../../../../test/support/parameterValues.ts';
import { runs } from '../../../../test/support/seed.ts';
import { QrServiceError } from '../../errors/QrServiceError.ts';
import { isParameterError, type ParameterError } from './ParameterError.ts';
import { showValue } from './showValue.ts';
import { toKey, toNewName, toRequiredText, toText } from './text.ts';
import { toOneOf, toTime, toWholeNumber, toYesNo } from './values.ts';

type Reader = (value: unknown) => unknown;

const label = 'Some Label';
const options = ['png', 'svg', 'Pdf'];
const { MAX_SAFE_INTEGER: MAX, MIN_SAFE_INTEGER: MIN } = Number;
const CORRECT = 'Correct the value.';
const USE_ISO = 'Use ISO 8601, for example 2026-01-31T09:00:00Z.';

const whole =
  (bounds: { min: number; max?: number } = { min: MIN }): Reader =>
  (value) =>
    toWholeNumber(value, { label, ...bounds });
const oneOf =
  (more: object = {}): Reader =>
  (value) =>
    toOneOf(value, { label, options, ...more });
const time: Reader = (value) => toTime(value, { label });
const text: Reader = (value) => toText(value, { label });
const key: Reader = (value) => toKey(value, { label });
const secret: Reader = (value) => toText(value, { label, secret: true });

/** The readers, with what their errors say must be entered, and what to do. */
const KINDS: Record<Kind, [read: Reader, expected: string, advice?: string]> = {
  text: [text, 'text'],
  wholeNumber: [whole(), `a whole number, ${MIN} or more`],
  yesNo: [(value) => toYesNo(value, { label }), 'yes or no (true or false)'],
  key: [key, 'text, a number or a date'],
  time: [time, 'a date and time', USE_ISO],
  oneOf: [oneOf(), 'one of png, svg, Pdf'],
};

function errorOf(read: () => unknown): ParameterError {
  try {
    read();
  } catch (error) {
    if (isParameterError(error)) return error;
    throw error;
  }
  throw new Error('It was read.');
}

describe.each(Object.entries(KINDS))('as %s', (kind, [read, expected, advice = CORRECT]) => {
  it.each(PARAMETER_VALUES)('reads $value or refuses it with a ParameterError', ({ value, as, shown }) => {
    const reading = as[kind as Kind] ?? 'invalid';
    if (reading !== 'invalid') {
      expect(read(value)).toEqual(reading === 'empty' ? undefined : reading.is);
      return;
    }
    const error = errorOf(() => read(value));
    // Below, with its own advice.
    if (error.message.includes(' up to 15 digits')) return;
    expect(error.message).toBe(`${label} must be ${expected}, but got ${shown}.`);
    expect(error).toMatchObject({ code: 'invalid_input', parameter: label, advice, isMissing: false });
    expect(error.message).not.toMatch(/\p{Cc}|secret/u);
  });
});

const LABELS = { labels: { png: 'Small Image' } };
const toFifty = whole({ min: 1, max: 50 });
// Reports of polls and filters that lost the hour that a clock change repeats: the caller's zone decides which it is.
const readLocal = (local: string) => Date.parse(`${local}+05:30`);
const localTime: Reader = (value) => toTime(value, { label, readLocal });

test.each<[unknown, expected: unknown, Reader]>([
  ['+7', 7, whole()],
  ['007', 7, whole()],
  ['7.0', 7, whole()],
  ['1e2', 100, whole()],
  [1, 1, toFifty],
  [50, 50, toFifty],
  [MAX, String(MAX), key],
  [-MAX, String(-MAX), key],
  [0.1, '0.1', key],
  ['9007199254740993', '9007199254740993', key],
  ['1e21', '1e21', key],
  [' pdf ', 'Pdf', oneOf()],
  [' png', 'png', oneOf({ matchCase: true })],
  [' small image', 'png', oneOf(LABELS)],
  ['png', 'png', oneOf(LABELS)],
  ['2026-01-31', '2026-01-31T00:00:00.000Z', time],
  ['2026-01-31 09:30', '2026-01-31T09:30:00.000Z', time],
  ['2026-01-31T09:30:15.1234567', '2026-01-31T09:30:15.123Z', time],
  ['2026-01-31t09:30:15z', '2026-01-31T09:30:15.000Z', time],
  ['2026-01-31 09:30:15 -0330', '2026-01-31T13:00:15.000Z', time],
  ['2026-01-31T09:30+02', '2026-01-31T07:30:00.000Z', time],
  ['Sat, 31 Jan 2026 09:00:00 GMT', '2026-01-31T09:00:00.000Z', time],
  ['Thu, 1 Jan 2026 00:30:00 +0100', '2025-12-31T23:30:00.000Z', time],
  ['2026-01-31 09:00', '2026-01-31T03:30:00.000Z', localTime],
  ['2026-01-31 09:00Z', '2026-01-31T09:00:00.000Z', localTime],
])('reads %j as %j', (value, expected, read) => expect(read(value)).toBe(expected));

const LONGEST = 'a'.repeat(60);
const LONGER = 'a'.repeat(61);
const DIGITS = 'text or a number of up to 15 digits';
const HAND_ON = 'Longer numbers lose digits. Pass the value as text.';
const NO_NUMBERS = ['1,000', '1 000', '٣', '9007199254740993'];
const NO_TIMES =
  '2026|2026-01|2026-W05-6|2026-1-31|20260131T090000Z|2026-01-31T09|2026-01-31Z|January 31, 2026|2026-01-31T25:00|tomorrow|1769850000';

type Refusal = [unknown, Reader, said: string, advice?: string];
test.each<Refusal>([
  ...NO_NUMBERS.map((no): Refusal => [no, whole(), `a whole number, ${MIN} or more, but got "${no}"`]),
  ...NO_TIMES.split('|').map((no): Refusal => [no, time, `a date and time, but got "${no}"`, USE_ISO]),
  ['2026-01-31T25:00', localTime, 'a date and time, but got "2026-01-31T25:00"', USE_ISO],
  // Reports of steps that hand on an ID of 16 digits or more as a JSON number, which then names its neighbor.
  [MAX + 1, text, `${DIGITS}, but got 9007199254740992`, HAND_ON],
  [[MIN - 1], key, `${DIGITS}, but got a list`, HAND_ON],
  [1e21, (value) => toRequiredText(value, { label }), `${DIGITS}, but got 1e+21`, HAND_ON],
  ['PNG', oneOf({ matchCase: true }), 'one of png, svg, Pdf, but got "PNG"'],
  ['PNG', oneOf({ labels: { a: 'A', b: 'B' }, options: ['a', 'b'] }), 'one of A, B, but got "PNG"'],
  ['PNG', oneOf({ options: [LONGEST] }), `one of ${LONGEST}, but got "PNG"`],
  ['PNG', oneOf({ options: [LONGER] }), 'one of its options, but got "PNG"', `Use one of ${LONGER}.`],
  [0, whole({ min: 1 }), 'a whole number, 1 or more, but got 0'],
  [0, toFifty, 'a whole number from 1 to 50, but got 0'],
  ['51', toFifty, 'a whole number from 1 to 50, but got "51"'],
  [['hidden', 'hidden'], secret, 'text, but got something else (object)'],
  [true, secret, 'text, but got something else (boolean)'],
])('refuses %j with what is allowed, and without a secret: %#', (value, read, said, advice = CORRECT) =>
  expect(errorOf(() => read(value))).toMatchObject({ message: `Some Label must be ${said}.`, advice }),
);

test('reads any day as the same time in all its forms', () => {
  const days = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(days, (date) => {
      const [day = ''] = date.toISOString().split('T');
      for (const form of [day, new Date(day).toUTCString()])
        expect([form, time(form)]).toEqual([form, `${day}T00:00:00.000Z`]);
    }),
    { numRuns: runs(50, 2000) },
  );
});

test.each<[unknown, string]>([
  [null, 'null'],
  [{ a: 1n }, 'an object'],
  ['😀'.repeat(40), `"${'😀'.repeat(40)}"`],
  ['a'.repeat(41), `"${'a'.repeat(40)}…"`],
  ['https://me:pw@a.example/b?c#d', '"https://…@a.example/b?…"'],
  [' https://me:pw@a.example', '" https://…@a.example"'],
  ['https://a.example/@b?c', '"https://a.example/@b?…"'],
  ['mailto:me@b.example', '"mailto:me@b.example"'],
])('shows %p in an error as %s', (value, shown) => expect(showValue(value)).toBe(shown));

test('refuses an empty value as a required text, with an error that names it', () => {
  const error = { name: 'ParameterError', message: 'Some Label is empty.', code: 'validation_failed' };
  const more = { advice: 'Enter a value.', isMissing: true, parameter: label };
  for (const read of [toRequiredText, toNewName])
    expect(errorOf(() => read(' \n', { label }))).toMatchObject({ ...error, ...more });
  for (const other of [new Error('No.'), new QrServiceError('No.', { code: 'invalid_input' })])
    expect(isParameterError(other)).toBe(false);
});

const newName: Reader = (value) => toNewName(value, { label });
const FILL_IN = 'Replace the placeholder with its value, for example by mapping the field again.';
const NO_NAME = 'Correct the formula, or map a field that has text.';

// From sheets with broken formulas, fields typed in Fixed mode, and templates that nobody filled in.
test.each<[read: Reader, text: string, problem: string, advice: string]>([
  ...['{{ $json.name }}', 'Table {{row}}', '{{1__name}}'].map((text): [Reader, string, string, string] => [
    newName,
    text,
    'contains a placeholder instead of its value',
    FILL_IN,
  ]),
  ...['[object Object]', '#REF!', '#N/A', '#VALUE!', '#NAME?', '#DIV/0!'].map(
    (text): [Reader, string, string, string] => [newName, text, 'is an error instead of text', NO_NAME],
  ),
  [
    newName,
    'Caf\uFFFD',
    'contains a character that was lost',
    'Type it again, or save the file as UTF-8 and read it again.',
  ],
  [key, 'menu-{{row}}', 'contains a placeholder instead of its value', FILL_IN],
])('refuses what would name many records alike: %#', (read, text, problem, advice) => {
  const error = {
    code: 'validation_failed',
    message: `Some Label ${problem}: '${text}'.`,
    advice,
    isMissing: false,
  };
  expect(errorOf(() => read(text))).toMatchObject(error);
});

test.each([
  'Table {4}',
  '{VIP}',
  '{{',
  '}} {{',
  'C#',
  '#1',
  '#ref!',
  'Error #N/A',
  'Null',
  'A & B',
  'Save $5',
  '${a}',
  '4',
])('keeps %s as a new name and as a key', (text) =>
  expect([newName(` ${text}`), key(text)]).toEqual([text, text]),
);

test('reads any value, or refuses it with an error of one short line', () => {
  const types = { withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true };
  const values = fc.oneof(fc.anything(types), fc.string({ unit: anyCharacter }));
  fc.assert(
    fc.property(values, fc.constantFrom(...Object.values(KINDS)), (value, [read]) => {
      try {
        read(value);
      } catch (error) {
        if (!isParameterError(error)) throw error;
        expect(error.message.length).toBeLessThan(200);
        expect(error.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }
    }),
    { numRuns: runs(300, 20_000) },
  );
});

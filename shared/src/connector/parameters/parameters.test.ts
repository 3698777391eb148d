import { fc } from '../../../../test/support/fastCheck.ts';
import { PARAMETER_VALUES, type Kind } from '../../../../test/support/parameterValues.ts';
import { runs } from '../../../../test/support/seed.ts';
import { isParameterError, type ParameterError } from './ParameterError.ts';
import { showValue } from './showValue.ts';
import { toKey, toRequiredText, toText } from './text.ts';
import { toOneOf, toTime, toWholeNumber, toYesNo } from './values.ts';

const label = 'Some Label';
const options = ['png', 'svg', 'Pdf'];
const LOWEST = { min: Number.MIN_SAFE_INTEGER };
const USE_ISO = 'Use ISO 8601, for example 2026-01-31T09:00:00Z.';

/** The readers, with what their errors say must be entered, and what to do. */
const KINDS: Record<Kind, [read: (value: unknown) => unknown, expected: string, advice?: string]> = {
  text: [(value) => toText(value, { label }), 'text'],
  wholeNumber: [
    (value) => toWholeNumber(value, { label, ...LOWEST }),
    `a whole number, ${LOWEST.min} or more`,
  ],
  yesNo: [(value) => toYesNo(value, { label }), 'yes or no (true or false)'],
  key: [(value) => toKey(value, { label }), 'text, a number or a date'],
  time: [(value) => toTime(value, { label }), 'a date and time', USE_ISO],
  oneOf: [(value) => toOneOf(value, { label, options }), 'one of png, svg, Pdf'],
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

describe.each(Object.entries(KINDS))('as %s', (kind, [read, expected, advice = 'Correct the value.']) => {
  it.each(PARAMETER_VALUES)('reads $value or refuses it with a ParameterError', ({ value, as, shown }) => {
    const reading = as[kind as Kind] ?? 'invalid';
    if (reading !== 'invalid') {
      expect(read(value)).toEqual(reading === 'empty' ? undefined : reading.is);
      return;
    }
    const error = errorOf(() => read(value));
    // Their own test is below.
    if (error.message.includes(' up to 15 digits')) return;
    expect(error.message).toBe(`${label} must be ${expected}, but got ${shown}.`);
    expect(error).toMatchObject({ code: 'invalid_input', parameter: label, advice, isMissing: false });
    expect(error.message).not.toMatch(/\p{Cc}|secret/u);
  });
});

test.each<[string, number | undefined]>([
  ['+7', 7],
  ['007', 7],
  ['7.0', 7],
  ['1e2', 100],
  ['1,000', undefined],
  ['1 000', undefined],
  ['٣', undefined],
  ['9007199254740993', undefined],
])('reads %p as the whole number %p', (value, expected) => {
  const read = () => toWholeNumber(value, { label, ...LOWEST });
  if (expected === undefined) expect(errorOf(read).message).toMatch(/whole number/);
  else expect(read()).toBe(expected);
});

// Reports of steps that hand on an ID of 16 digits or more as a JSON number, which then names its neighbor.
test.each(['9007199254740993', '9007199254740992', '-9007199254740992', '1e21'])(
  'refuses the number %s as text and as a key, as it has lost digits',
  (json) => {
    for (const read of [toText, toKey, toRequiredText])
      expect(errorOf(() => read([JSON.parse(json)], { label }))).toMatchObject({
        message: expect.stringMatching(/^Some Label must be text or a number of up to 15 digits, but got /),
        advice: 'A longer number has lost its last digits. Hand it on as text.',
      });
  },
);

test.each(['9007199254740991', '-9007199254740991', '0.1', '"9007199254740993"', '"1e21"'])(
  'reads %s, whose digits are all there',
  (json) => expect(toKey(JSON.parse(json), { label })).toBe(json.replaceAll('"', '')),
);

test.each<[unknown, object, string]>([
  [' pdf ', {}, 'Pdf'],
  [' png', { matchCase: true }, 'png'],
  [' small image', { labels: { png: 'Small Image' } }, 'png'],
  ['png', { labels: { png: 'Small Image' } }, 'png'],
])('reads %j as an option, with %j', (value, more, expected) =>
  expect(toOneOf(value, { label, options, ...more })).toBe(expected),
);

const [LONGEST, LONGER] = ['a'.repeat(60), 'a'.repeat(61)];
const oneOf = (more: object) => (value: unknown) => toOneOf(value, { label, options, ...more });
const whole = (bounds: { min: number; max?: number }) => (value: unknown) =>
  toWholeNumber(value, { label, ...bounds });
const secret = (value: unknown) => toText(value, { label, secret: true });
const CORRECT = 'Correct the value.';

test.each<[unknown, (value: unknown) => unknown, expected: string, advice: string]>([
  ['PNG', oneOf({ matchCase: true }), 'one of png, svg, Pdf, but got "PNG"', CORRECT],
  ['PNG', oneOf({ labels: { a: 'A', b: 'B' }, options: ['a', 'b'] }), 'one of A, B, but got "PNG"', CORRECT],
  ['PNG', oneOf({ options: [LONGEST] }), `one of ${LONGEST}, but got "PNG"`, CORRECT],
  ['PNG', oneOf({ options: [LONGER] }), 'one of its options, but got "PNG"', `Use one of ${LONGER}.`],
  [0, whole({ min: 1 }), 'a whole number, 1 or more, but got 0', CORRECT],
  ['51', whole({ min: 1, max: 50 }), 'a whole number from 1 to 50, but got "51"', CORRECT],
  [['hidden', 'hidden'], secret, 'text, but got something else (object)', CORRECT],
  [true, secret, 'text, but got something else (boolean)', CORRECT],
])('refuses %j with what is allowed, and without a secret: %#', (value, read, said, advice) =>
  expect(errorOf(() => read(value))).toMatchObject({ message: `Some Label must be ${said}.`, advice }),
);

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31 09:30', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30:15.1234567', '2026-01-31T09:30:15.123Z'],
  ['2026-01-31t09:30:15z', '2026-01-31T09:30:15.000Z'],
  ['2026-01-31 09:30:15 -0330', '2026-01-31T13:00:15.000Z'],
  ['2026-01-31T09:30+02', '2026-01-31T07:30:00.000Z'],
  ['Sat, 31 Jan 2026 09:00:00 GMT', '2026-01-31T09:00:00.000Z'],
  ['Thu, 1 Jan 2026 00:30:00 +0100', '2025-12-31T23:30:00.000Z'],
])('reads %p as the time %p', (value, expected) => expect(toTime(value, { label })).toBe(expected));

const NO_TIMES =
  '2026|2026-01|2026-W05-6|2026-1-31|20260131T090000Z|2026-01-31T09|2026-01-31Z|January 31, 2026|2026-01-31T25:00|tomorrow|1769850000';
test.each(NO_TIMES.split('|'))('refuses %p as a time', (text) =>
  expect(errorOf(() => toTime(text, { label })).message).toMatch(/date and time/),
);

// Reports of polls and filters that lost the hour that a clock change repeats: the caller's zone decides which it is.
test("reads a time without an offset in the caller's zone", () => {
  const readLocal = (text: string) => Date.parse(`${text}+05:30`);
  expect(toTime('2026-01-31 09:00', { label, readLocal })).toBe('2026-01-31T03:30:00.000Z');
  expect(toTime('2026-01-31 09:00Z', { label, readLocal })).toBe('2026-01-31T09:00:00.000Z');
  expect(() => toTime('2026-01-31T25:00', { label, readLocal: () => 0 })).toThrow(/date and time/);
});

test('reads any day as the same time in all its forms', () => {
  const days = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(days, (date) => {
      const [day = ''] = date.toISOString().split('T');
      for (const form of [day, new Date(day).toUTCString()])
        expect([form, toTime(form, { label })]).toEqual([form, `${day}T00:00:00.000Z`]);
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
  ['https://a.example/b?c', '"https://a.example/b?…"'],
  ['mailto:me@b.example', '"mailto:me@b.example"'],
])('shows %p in an error as %s', (value, shown) => expect(showValue(value)).toBe(shown));

test('refuses an empty value as a required text, with an error that names it', () => {
  const error = { name: 'ParameterError', message: 'Some Label is empty.', code: 'validation_failed' };
  const more = { advice: 'Enter a value.', isMissing: true, parameter: label };
  expect(errorOf(() => toRequiredText(' \n', { label }))).toMatchObject({ ...error, ...more });
  expect(isParameterError(new Error('Some Label is empty.'))).toBe(false);
});

test('reads any value, or refuses it with an error of one short line', () => {
  const types = { withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true };
  const values = fc.oneof(fc.anything(types), fc.string({ unit: 'binary' }));
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

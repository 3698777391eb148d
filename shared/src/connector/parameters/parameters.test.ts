import { fc } from '../../../../test/support/fastCheck.ts';
import { PARAMETER_VALUES, type Kind, type Reading } from '../../../../test/support/parameterValues.ts';
import { runs } from '../../../../test/support/seed.ts';
import {
  isParameterError,
  type ParameterError,
  locatedValue,
  toFields,
  toKey,
  toOneOf,
  toRequiredText,
  toSeveralOf,
  toText,
  toTime,
  toWholeNumber,
  toYesNo,
} from '../index.ts';
import { showValue } from './showValue.ts';

const label = 'Some Label';
const options = ['png', 'svg', 'Pdf'];
const LOWEST = { min: Number.MIN_SAFE_INTEGER };

const KINDS: Record<Kind | 'oneOf', (value: unknown) => unknown> = {
  text: (value) => toText(value, { label }),
  wholeNumber: (value) => toWholeNumber(value, { label, ...LOWEST }),
  yesNo: (value) => toYesNo(value, { label }),
  key: (value) => toKey(value, { label }),
  time: (value) => toTime(value, { label }),
  several: (value) => toSeveralOf(value, { label, options }),
  oneOf: (value) => toOneOf(value, { label, options }),
  fields: (value) => toFields(value, { label }),
};

/** What an error says must be entered, and what to do. */
const REFUSALS: Record<keyof typeof KINDS, [expected: string, advice?: string]> = {
  text: ['text'],
  wholeNumber: [`a whole number, ${LOWEST.min} or more`],
  yesNo: ['yes or no (true or false)'],
  key: ['text, a number or a date'],
  time: ['a date and time', 'Use ISO 8601, for example 2026-01-31T09:00:00Z.'],
  several: ['one or more of png, svg, Pdf'],
  oneOf: ['one of png, svg, Pdf'],
  fields: ['a set of fields'],
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

describe.each(Object.keys(KINDS) as (Kind | 'oneOf')[])('as %s', (kind) => {
  const expected = (as: Partial<Record<Kind, Reading>>) =>
    kind === 'oneOf' ? (as.text === 'empty' ? 'empty' : 'invalid') : (as[kind] ?? 'invalid');

  it.each(PARAMETER_VALUES.map(({ source, ...rest }) => ({ source, ...rest })))(
    'reads $source or refuses it with a ParameterError',
    ({ value, as, shown }) => {
      const reading = expected(as);
      if (reading === 'invalid') {
        const [needed, advice = 'Correct the value.'] = REFUSALS[kind];
        const error = errorOf(() => KINDS[kind](value));
        const { message } = error;
        if (!message.includes(' up to 15 digits')) {
          expect(message).toContain(`${label} must be ${needed}, but got `);
          expect(error).toMatchObject({ code: 'invalid_input', advice, isMissing: false });
        }
        // Of several values, the invalid one is shown.
        if (kind !== 'several') expect(message).toContain(`, but got ${shown}.`);
        expect(message).not.toMatch(/\p{Cc}|secret/u);
      } else expect(KINDS[kind](value)).toEqual(reading === 'empty' ? undefined : reading.is);
    },
  );
});

test.each([
  ['+7', 7],
  ['007', 7],
  ['7.0', 7],
  ['1e2', 100],
  [-0, 0],
  ['1,000', undefined],
  ['1 000', undefined],
  ['٣', undefined],
  ['', undefined],
  ['9007199254740993', undefined],
])('reads %p as the whole number %p', (value, expected) => {
  const read = () => toWholeNumber(value, { label, ...LOWEST });
  if (expected === undefined && value !== '') expect(errorOf(read).message).toMatch(/whole number/);
  else expect(read()).toBe(expected);
});

test.each([
  [0, { min: 1 }, 'Some Label must be a whole number, 1 or more, but got 0. Correct the value.'],
  [
    '51',
    { min: 1, max: 50 },
    'Some Label must be a whole number from 1 to 50, but got "51". Correct the value.',
  ],
])('refuses %p, outside %j, with an error that names the bounds', (value, bounds, said) => {
  const { message, advice } = errorOf(() => toWholeNumber(value, { label, ...bounds }));
  expect(`${message} ${advice}`).toBe(said);
});

test.each([
  ['PNG', ['png']],
  [' pdf ', ['Pdf']],
  ['svg, PNG', ['svg', 'png']],
  ['png,,png,', ['png']],
  [
    ['svg', ' png'],
    ['svg', 'png'],
  ],
  [[null, '', undefined], undefined],
  [' , ', undefined],
  [['png', 'gif'], 'Some Label must be one or more of png, svg, Pdf, but got "gif".'],
  [['png', 3], 'Some Label must be one or more of png, svg, Pdf, but got 3.'],
  [[['png', 'svg']], 'Some Label must be one or more of png, svg, Pdf, but got a list.'],
])('reads %j as the options %j', (value, expected) => {
  const read = () => toSeveralOf(value, { label, options });
  if (typeof expected === 'string') expect(errorOf(read).message).toBe(expected);
  else expect(read()).toEqual(expected);
});

test('matches the case of an option if requested', () => {
  expect(toOneOf(' png', { label, options, matchCase: true })).toBe('png');
  expect(errorOf(() => toOneOf('PNG', { label, options, matchCase: true })).message).toContain('"PNG"');
});

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31 09:30', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30:15.1234567', '2026-01-31T09:30:15.123Z'],
  ['2026-01-31t09:30:15z', '2026-01-31T09:30:15.000Z'],
  ['2026-01-31 09:30:15 -0330', '2026-01-31T13:00:15.000Z'],
  ['2026-01-31T09:30+02', '2026-01-31T07:30:00.000Z'],
  ['2026-01-31T09:00:00.12345678901234Z', '2026-01-31T09:00:00.123Z'],
  ['Sat, 31 Jan 2026 09:00:00 GMT', '2026-01-31T09:00:00.000Z'],
  ['Thu, 1 Jan 2026 00:30:00 +0100', '2025-12-31T23:30:00.000Z'],
  ['2026', undefined],
  ['202601', undefined],
  ['2026-01', undefined],
  ['2026-W05-6', undefined],
  ['2026-1-31', undefined],
  ['20260131', undefined],
  ['20260131T090000Z', undefined],
  ['2026-01-31T9', undefined],
  ['2026-01-31T09', undefined],
  ['2026-01-31Z', undefined],
  ['January 31, 2026', undefined],
  ['2026-01-31T25:00', undefined],
  ['tomorrow', undefined],
  ['1769850000', undefined],
])('reads %p as the time %p', (value, expected) => {
  const read = () => toTime(value, { label });
  if (expected === undefined) expect(errorOf(read).message).toMatch(/date and time/);
  else expect(read()).toBe(expected);
});

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
  [[null, [['text']]], 'a list'],
  [{ a: 1n }, 'an object'],
  ['😀'.repeat(40), `"${'😀'.repeat(40)}"`],
  ['a'.repeat(41), `"${'a'.repeat(40)}…"`],
  ['https://me:pw@a.example/b?c#d', '"https://…@a.example/b?…"'],
  ['https://a.example/b?c', '"https://a.example/b?…"'],
  ['mailto:me@b.example', '"mailto:me@b.example"'],
])('shows %p in an error as %s', (value, shown) => expect(showValue(value)).toBe(shown));

test('refuses an empty required text with an error that names it', () => {
  for (const value of [undefined, null, '', ' \n'])
    expect(errorOf(() => toRequiredText(value, { label }))).toMatchObject({
      name: 'ParameterError',
      message: 'Some Label is empty.',
      code: 'validation_failed',
      advice: 'Enter a value.',
      isMissing: true,
    });
  expect(isParameterError(new Error('Some Label is empty.'))).toBe(false);
});

test('does not show the value of a secret', () => {
  const secret = { label: 'API Key', secret: true };
  const said = [['hidden', 'hidden'], { key: 'hidden' }, new Date(0), true].map(
    (value) => errorOf(() => toText(value, secret)).message,
  );
  expect(said[0]).toBe('API Key must be text, but got something else (object).');
  expect(said.join(' ')).not.toMatch(/hidden|1970|true/);
});

test('unwraps resource locators and nothing else', () => {
  expect(locatedValue({ __rl: true, mode: 'id', value: 'qr_1' })).toBe('qr_1');
  const row = { id: 1, mode: 'dynamic', value: 'x' };
  for (const other of [
    { value: 'qr_1' },
    { __rl: true, mode: 'id' },
    row,
    { ...row, __rl: 'yes' },
    'qr_1',
    null,
  ])
    expect(locatedValue(other)).toBe(other);
  expect(locatedValue(row, { unmarked: true })).toBe('x');
});

test("refuses whole numbers that JavaScript can't distinguish as keys", () => {
  for (const json of ['9007199254740993', '9007199254740992', '1e21'])
    expect(errorOf(() => toKey(JSON.parse(json), { label })).message).toMatch(
      /^Some Label must be text or a/,
    );
  for (const json of ['9007199254740991', '-9007199254740991', '0.1'])
    expect(toKey(JSON.parse(json), { label })).toBe(json);
  expect(toKey('9007199254740993', { label })).toBe('9007199254740993');
  expect(toKey(9007199254740993n, { label })).toBe('9007199254740993');
});

test('reads any value, or refuses it with an error of one short line', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  fc.assert(
    fc.property(
      fc.oneof(anything, fc.string({ unit: 'binary' })),
      fc.constantFrom(...Object.values(KINDS)),
      (value, read) => {
        try {
          read(value);
        } catch (error) {
          if (!isParameterError(error)) throw error;
          expect(error.message.length).toBeLessThan(200);
          expect(error.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        }
      },
    ),
    { numRuns: runs(300, 20_000) },
  );
});

test("accepts an option's label, and lists the labels in errors", () => {
  const labels = { png: 'Small Image', svg: 'Large Image' };
  for (const value of ['png', ' small image', 'Small Image'])
    expect(toOneOf(value, { label, options, labels })).toBe('png');
  expect(toOneOf('pdf', { label, options, labels })).toBe('Pdf');
  expect(errorOf(() => toOneOf('gif', { label, options, labels })).message).toBe(
    'Some Label must be one of Small Image, Large Image, but got "gif".',
  );
  for (const [length, expected, advice] of [
    [60, 'a'.repeat(60), 'Correct the value.'],
    [61, 'its options', `Use one of ${'a'.repeat(61)}.`],
  ] as const)
    expect(errorOf(() => toOneOf('b', { label, options: ['a'.repeat(length)] }))).toMatchObject({
      message: `Some Label must be one of ${expected}, but got "b".`,
      advice,
    });
});

import { fc } from '../../../harness/fastCheck.ts';
import { PARAMETER_VALUES, type Kind, type Reading } from '../../../harness/parameterValues.ts';
import { runs } from '../../../harness/seed.ts';
import { describeError } from '../client/describeError.ts';
import {
  isParameterError,
  locatedValue,
  toFields,
  toJsonObject,
  toKey,
  toOneOf,
  toRequiredText,
  toSeveralOf,
  toText,
  toTime,
  toWholeNumber,
  toYesNo,
} from '../index.ts';

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
  json: (value) => toJsonObject(value, { label }),
  fields: (value) => toFields(value, { label }),
};

function errorOf(read: () => unknown): { message: string; code: string } {
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
    '$source is read or refused in words',
    ({ value, as, shown }) => {
      const reading = expected(as);
      if (reading === 'invalid') {
        const { message, code } = errorOf(() => KINDS[kind](value));
        expect(code).toBe('invalid_input');
        expect(message.startsWith(`${label} must be `)).toBe(true);
        // Of several, the one that can't be used is shown.
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
])('the whole number of %p is %p', (value, expected) => {
  const read = () => toWholeNumber(value, { label, ...LOWEST });
  if (expected === undefined && value !== '') expect(errorOf(read).message).toMatch(/whole number/);
  else expect(read()).toBe(expected);
});

test.each([
  [0, { min: 1 }, 'Some Label must be a whole number, 1 or more, but got 0. Correct it and try again.'],
  [
    '51',
    { min: 1, max: 50 },
    'Some Label must be a whole number from 1 to 50, but got "51". Correct it and try again.',
  ],
])('%p out of %j is an error that names the bounds', (value, bounds, said) => {
  const { message, description } = describeError(
    (() => {
      try {
        return toWholeNumber(value, { label, ...bounds });
      } catch (error) {
        return error;
      }
    })(),
  );
  expect(`${message} ${description}`).toBe(said);
});

test.each([
  [0, 1],
  ['1000', 50],
  [7, 7],
])('%p is clamped to %p where that is wanted', (value, expected) => {
  expect(toWholeNumber(value, { label, min: 1, max: 50, outOfBounds: 'clamp' })).toBe(expected);
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
  [[['png']], 'Some Label must be one or more of png, svg, Pdf, but got an array ["…"].'],
])('several of %j are %j', (value, expected) => {
  const read = () => toSeveralOf(value, { label, options });
  if (typeof expected === 'string') expect(errorOf(read).message).toBe(expected);
  else expect(read()).toEqual(expected);
});

test('the case of an option counts where that is wanted', () => {
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
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29', undefined],
  ['2026-13-01', undefined],
  ['2026-01-31T25:00', undefined],
  ['2026-01-31T09:30+99:00', undefined],
  ['31.01.2026', undefined],
  ['1/2/2026', undefined],
  ['tomorrow', undefined],
  ['1769850000', undefined],
])('the time %p is %p', (value, expected) => {
  const read = () => toTime(value, { label });
  if (expected === undefined) expect(errorOf(read).message).toMatch(/date and time/);
  else expect(read()).toBe(expected);
});

test('a time without an offset is read in the zone that the caller reads it in', () => {
  const readLocal = (text: string) => Date.parse(`${text}+05:30`);
  expect(toTime('2026-01-31 09:00', { label, readLocal })).toBe('2026-01-31T03:30:00.000Z');
  expect(toTime('2026-01-31 09:00Z', { label, readLocal })).toBe('2026-01-31T09:00:00.000Z');
});

test('an empty text that has no default is an error that names it', () => {
  for (const value of [undefined, null, '', ' \n'])
    expect(errorOf(() => toRequiredText(value, { label }))).toMatchObject({
      message: 'Some Label is empty.',
      code: 'validation_failed',
    });
});

test('the value of a secret is not shown', () => {
  const secret = { label: 'API Key', secret: true };
  const said = [['hidden'], { key: 'hidden' }, new Date(0), true].map(
    (value) => errorOf(() => toText(value, secret)).message,
  );
  expect(said.join(' ')).not.toMatch(/hidden|1970|true/);
});

test('a resource locator is opened, one inside another too, and nothing else', () => {
  const locator = (value: unknown) => ({ __rl: true, mode: 'id', value });
  expect(locatedValue(locator('qr_1'))).toBe('qr_1');
  expect(locatedValue(locator(locator({ mode: 'url', value: 'qr_1' })))).toBe('qr_1');
  expect(locatedValue({ value: 'qr_1' })).toEqual({ value: 'qr_1' });
  const endless: Record<string, unknown> = { __rl: true };
  endless['value'] = endless;
  expect(locatedValue(endless)).toBe(endless);
});

test('any value is read, empty or an error of one short line', () => {
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

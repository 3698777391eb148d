/** Result of reading a value as a kind of parameter: the value read, `empty` or `invalid`. */
type Reading = { is: unknown } | 'empty' | 'invalid';

/** Kinds of parameters that all read a value the same way. */
export type Kind = 'text' | 'wholeNumber' | 'yesNo' | 'key' | 'time' | 'oneOf';

/** A value that a platform can pass for a parameter. */
export interface ParameterValue {
  value: unknown;
  /** How each kind reads it. Omitted kinds: `invalid`. */
  as: Partial<Record<Kind, Reading>>;
  /** How an error message shows it. */
  shown: string;
}

const is = (value: unknown): Reading => ({ is: value });

const KINDS: readonly Kind[] = ['text', 'wholeNumber', 'yesNo', 'key', 'time', 'oneOf'];
const EMPTY: ParameterValue['as'] = Object.fromEntries(KINDS.map((kind) => [kind, 'empty']));

/** Text, which is also a valid key. */
function text(value: string, as: ParameterValue['as'] = {}): ParameterValue {
  const trimmed = value.trim();
  return {
    value,
    as: { text: is(trimmed), key: is(trimmed), ...as },
    shown: `"${value}"`,
  };
}

/** A finite number, which is also valid as text and as a key. */
function number(value: number, as: ParameterValue['as'] = {}): ParameterValue {
  const written = String(value);
  return { value, as: { text: is(written), key: is(written), ...as }, shown: written };
}

/** A whole number too large to be exact: it would name another record. */
function lossy(value: number): ParameterValue {
  return { ...number(value), as: {} };
}

function other(value: unknown, shown: string, as: ParameterValue['as'] = {}): ParameterValue {
  return { value, as, shown };
}

const TIME = '2026-01-31T09:00:00.000Z';

/** Values that a platform can pass. The first one is empty. */
export const PARAMETER_VALUES: readonly ParameterValue[] = [
  other(undefined, 'undefined', EMPTY),
  other(null, 'null', EMPTY),
  { ...text('', EMPTY), as: EMPTY },
  { ...text(' \t\n ', EMPTY), as: EMPTY },
  other([], 'a list'),
  other({}, 'an object'),
  text('3', { wholeNumber: is(3) }),
  text(' 3 ', { wholeNumber: is(3) }),
  number(3, { wholeNumber: is(3) }),
  other(3n, '3', { text: is('3'), key: is('3'), wholeNumber: is(3) }),
  number(0, { wholeNumber: is(0), yesNo: is(false) }),
  text('0', { wholeNumber: is(0), yesNo: is(false) }),
  number(1, { wholeNumber: is(1), yesNo: is(true) }),
  text('1', { wholeNumber: is(1), yesNo: is(true) }),
  number(-1, { wholeNumber: is(-1) }),
  text('-1', { wholeNumber: is(-1) }),
  number(3.5),
  text('3.5'),
  text('200px'),
  text('0x10'),
  lossy(1e300),
  lossy(2 ** 53),
  number(0.1 + 0.2),
  other(NaN, 'NaN'),
  other(Infinity, 'Infinity'),
  other(true, 'true', { yesNo: is(true) }),
  other(false, 'false', { yesNo: is(false) }),
  text('true', { yesNo: is(true) }),
  text('FALSE', { yesNo: is(false) }),
  text(' Yes', { yesNo: is(true) }),
  text('no', { yesNo: is(false) }),
  text('Y', { yesNo: is(true) }),
  text('n', { yesNo: is(false) }),
  text('on', { yesNo: is(true) }),
  text('off', { yesNo: is(false) }),
  { ...text('\u200B\u00A0', EMPTY), as: EMPTY },
  other(['3'], 'a list', { text: is('3'), key: is('3'), wholeNumber: is(3) }),
  other([true], 'a list', { yesNo: is(true) }),
  other([''], 'a list', EMPTY),
  text('maybe'),
  {
    ...text(`over\n two lines\u0000, and longer than any error is to be: ${'😀'.repeat(40)}`),
    shown: '"over  two lines , and longer than any er…"',
  },
  other([1, 2], 'a list'),
  other(['maybe', { key: 'secret' }], 'a list'),
  other({ a: 1 }, 'an object'),
  other(new Date(0), 'the date 1970-01-01T00:00:00.000Z', {
    key: is('1970-01-01T00:00:00.000Z'),
    time: is('1970-01-01T00:00:00.000Z'),
  }),
  other(new Date(NaN), 'an invalid date'),
  other(luxon(TIME), `the date ${TIME}`, { key: is(TIME), time: is(TIME) }),
  text('2026-01-31T10:00:00+01:00', { time: is(TIME) }),
  text('2026-02-30'),
  text('row 3'),
];

/** Stands in for a Luxon `DateTime`. */
function luxon(iso: string): object {
  return { isValid: true, toMillis: () => Date.parse(iso), zone: {} };
}

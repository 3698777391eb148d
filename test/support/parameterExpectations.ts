import { isDeepStrictEqual } from 'node:util';
import { PARAMETER_VALUES, type Kind, type ParameterValue, type Reading } from './parameterValues.ts';
import { randomIntegers, runs } from './seed.ts';

/** How a parameter should read values. */
export interface ParameterExpectation {
  /** `dropped`: the platform doesn't pass on any of the values. */
  kind: Kind | 'oneOf' | 'dropped';
  /** Accepts a list of such values, too. */
  isList?: boolean;
  /** Accepts only JSON values. */
  isLiteral?: boolean;
  /** Additional values for this parameter. */
  more?: ParameterValue[];
  /** Range of a whole number. */
  min?: number;
  max?: number;
  /** Default for an empty value. Without a default, an empty value is an error. */
  usual?: unknown;
}

/** Text that is read as one or more options. */
export function choice(value: string, is: unknown): ParameterValue {
  return { value, source: JSON.stringify(value), as: { several: { is } }, shown: '' };
}

/** An array that is read as several options. */
export function choices(value: string[], is: unknown): ParameterValue {
  return { ...choice('', is), value, source: JSON.stringify(value) };
}

/**
 * Returns the test values for a parameter: invalid ones, an empty one and a valid one. `npm run test:all` uses all.
 * @param maxInvalid maximum number of invalid values in `npm test`
 */
export function valuesFor(expectation: ParameterExpectation, maxInvalid = 2): ParameterValue[] {
  const { isLiteral = false, more = [] } = expectation;
  const values = [...PARAMETER_VALUES.filter(({ value }) => !isLiteral || isJson(value)), ...more];
  const group = (isOf: (reading: Reading) => boolean, few: number) =>
    sample(
      values.filter((value) => isOf(readingOf(expectation, value))),
      runs(few, Infinity),
    );
  return [
    ...group((reading) => reading === 'invalid', maxInvalid),
    ...group((reading) => reading === 'empty', 1),
    ...group((reading) => typeof reading === 'object', 1),
  ];
}

// One for all calls, so that each parameter gets other values.
const random = randomIntegers();

/** Picks at most `maxCount` values at random, and keeps their order. */
export function sample<Value>(values: readonly Value[], maxCount: number): Value[] {
  const picked = [...values];
  while (picked.length > maxCount) picked.splice(random(picked.length), 1);
  return picked;
}

/** Whether a value can be saved in a workflow's JSON. */
function isJson(value: unknown): boolean {
  return typeof value !== 'bigint' && isDeepStrictEqual(value, JSON.parse(JSON.stringify([value]))[0]);
}

/** How a parameter should read a value. */
export function readingOf(
  { kind, isList = false, min = -Infinity, max = Infinity, more = [] }: ParameterExpectation,
  value: ParameterValue,
): Reading {
  if (isList && Array.isArray(value.value)) return listReading(value.value);
  if (kind === 'dropped') return 'empty';
  if (more.includes(value)) return value.as.several ?? 'invalid';
  if (kind === 'oneOf') return value.as.text === 'empty' ? 'empty' : 'invalid';
  const reading = value.as[kind] ?? 'invalid';
  if (typeof reading === 'string' || kind !== 'wholeNumber') return reading;
  const number = reading.is as number;
  return number < min || number > max ? 'invalid' : reading;
}

function listReading(list: readonly unknown[]): Reading {
  if (list.length === 0) return 'empty';
  return list.some((entry) => ['object', 'boolean'].includes(typeof entry)) ? 'invalid' : { is: list.map(String) };
}

const hasDefault = (expectation: ParameterExpectation) =>
  'usual' in expectation || expectation.kind === 'dropped';

/** What a valid value is read as; undefined for an invalid one. */
export function workingValue(
  expectation: ParameterExpectation,
  value: ParameterValue,
): { value: never } | undefined {
  const reading = readingOf(expectation, value);
  if (reading === 'invalid' || (reading === 'empty' && !hasDefault(expectation))) return undefined;
  return { value: (reading === 'empty' ? expectation.usual : reading.is) as never };
}

/** Describes what is wrong with an error message. Returns undefined if it names the parameter and shows the value. */
export function problemWith(
  message: string,
  label: string,
  { kind, isList = false }: ParameterExpectation,
  value: ParameterValue,
): string | undefined {
  if (!message.toLowerCase().includes(label.toLowerCase()) && !/^No event is chosen/.test(message))
    return `${message} doesn't name ${label}`;
  const isShown =
    kind === 'several' ||
    (isList && Array.isArray(value.value)) ||
    value.as.text === 'empty' ||
    message.includes(`but got ${value.shown}`);
  return isShown ? undefined : `${message} doesn't show ${value.shown}`;
}

/** What is sent for a key: less when it's repeated, because the service replays its response. An empty key isn't one. */
export function byFirstUse<Sent>(first: Sent[], repeated: Sent[]): (key: string | undefined) => Sent[] {
  const used = new Set<string>();
  return (key = '') => {
    const isRepeated = used.has(key);
    if (key !== '') used.add(key);
    return isRepeated ? repeated : first;
  };
}

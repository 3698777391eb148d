import { isDeepStrictEqual } from 'node:util';
import { PARAMETER_VALUES, type Kind, type ParameterValue, type Reading } from './parameterValues.ts';
import { randomIntegers, runs } from './seed.ts';

/** How a parameter is to read values. */
export interface ParameterExpectation {
  /** `dropped`: the platform hands over none of the values. */
  kind: Kind | 'oneOf' | 'dropped';
  /** Takes only what JSON can hold. */
  isLiteral?: boolean;
  /** Further values, of this parameter's own. */
  more?: ParameterValue[];
  /** Bounds of a whole number. */
  min?: number;
  max?: number;
  /** What an empty value is read as; without one it is an error. */
  usual?: unknown;
}

/** A text that one or several options are read from. */
export function choice(value: string, is: unknown): ParameterValue {
  return { value, source: JSON.stringify(value), as: { several: { is } }, shown: '' };
}

/** An array that several options are read from. */
export function choices(value: string[], is: unknown): ParameterValue {
  return { ...choice('', is), value, source: JSON.stringify(value) };
}

/**
 * The values for a parameter: those that don't work, and some of those that do. `npm run test:all` takes all.
 * @param maxCount how many of those that don't work `npm test` takes; by default all
 */
export function valuesFor(expectation: ParameterExpectation, maxCount = Infinity): ParameterValue[] {
  const { isLiteral = false, more = [] } = expectation;
  const isValid = (value: ParameterValue) =>
    expectation.kind === 'dropped' || typeof readingOf(expectation, value) === 'object';
  const values = PARAMETER_VALUES.filter(({ value }) => !isLiteral || isJson(value));
  const valid = sample(values.filter(isValid), runs(5, Infinity));
  const invalid = sample(
    values.filter((value) => !isValid(value)),
    runs(maxCount, Infinity),
  );
  return [...invalid, ...valid, ...more];
}

/** At most so many of them, chosen at random, in their order. */
function sample<Value>(values: readonly Value[], maxCount: number): Value[] {
  const random = randomIntegers();
  const picked = [...values];
  while (picked.length > maxCount) picked.splice(random(picked.length), 1);
  return picked;
}

/** Whether a value can stand in a workflow's JSON. */
function isJson(value: unknown): boolean {
  return typeof value !== 'bigint' && isDeepStrictEqual(value, JSON.parse(JSON.stringify([value]))[0]);
}

/** What a value is read as. */
export function readingOf(
  { kind, min = -Infinity, max = Infinity, more = [] }: ParameterExpectation,
  value: ParameterValue,
): Reading {
  if (kind === 'dropped') return 'empty';
  if (more.includes(value)) return value.as.several ?? 'invalid';
  if (kind === 'oneOf') return value.as.text === 'empty' ? 'empty' : 'invalid';
  const reading = value.as[kind] ?? 'invalid';
  if (typeof reading === 'string' || kind !== 'wholeNumber') return reading;
  const number = reading.is as number;
  return number < min || number > max ? 'invalid' : reading;
}

const hasDefault = (expectation: ParameterExpectation) =>
  'usual' in expectation || expectation.kind === 'dropped';

/** What a value that works is read as. */
export function workingValue(
  expectation: ParameterExpectation,
  value: ParameterValue,
): { value: never } | undefined {
  const reading = readingOf(expectation, value);
  if (reading === 'invalid' || (reading === 'empty' && !hasDefault(expectation))) return undefined;
  return { value: (reading === 'empty' ? expectation.usual : reading.is) as never };
}

/** Says what is wrong with an error's words; undefined where they name the parameter and show the value. */
export function problemWith(
  message: string,
  label: string,
  { kind }: ParameterExpectation,
  value: ParameterValue,
): string | undefined {
  if (!message.toLowerCase().includes(label.toLowerCase()) && !/^No event is chosen/.test(message))
    return `${message} doesn't name ${label}`;
  const isShown =
    kind === 'several' || value.as.text === 'empty' || message.includes(`but got ${value.shown}.`);
  return isShown ? undefined : `${message} doesn't show ${value.shown}`;
}

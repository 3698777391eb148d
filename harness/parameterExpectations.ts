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
 * @param most how many of those that don't work `npm test` takes; by default all
 */
export function valuesFor(expectation: ParameterExpectation, most = Infinity): ParameterValue[] {
  const { isLiteral = false, more = [] } = expectation;
  const works = (value: ParameterValue) =>
    expectation.kind === 'dropped' || typeof readingOf(expectation, value) === 'object';
  const values = PARAMETER_VALUES.filter(({ value }) => !isLiteral || isJson(value));
  const working = some(values.filter(works), runs(5, Infinity));
  const others = some(
    values.filter((value) => !works(value)),
    runs(most, Infinity),
  );
  return [...others, ...working, ...more];
}

/** At most so many of them, chosen at random, in their order. */
function some<Value>(values: readonly Value[], most: number): Value[] {
  const random = randomIntegers();
  const chosen = [...values];
  while (chosen.length > most) chosen.splice(random(chosen.length), 1);
  return chosen;
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

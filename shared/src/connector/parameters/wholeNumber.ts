import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { given } from './text.ts';

/** Options of `toWholeNumber`. */
interface WholeNumberInfo extends ParameterInfo {
  /** Smallest number allowed. */
  min: number;
  /** Largest number allowed; none by default. */
  max?: number | undefined;
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Reads a whole number, from a number or from text. Undefined for an empty value.
 * @throws ParameterError, naming the bounds, for anything else
 */
export function toWholeNumber(value: unknown, info: WholeNumberInfo): number | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const { min, max = Infinity } = info;
  const number = typeof cell !== 'object' && NUMBER.test(`${cell as string | number}`) ? Number(cell) : NaN;
  // `+ 0` turns -0 into 0.
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number + 0;
  const range = max === Infinity ? `, ${min} or more` : ` from ${min} to ${max}`;
  throw invalidParameter(value, info, `a whole number${range}`);
}

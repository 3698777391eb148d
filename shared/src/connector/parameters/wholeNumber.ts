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
  const { min, max } = info;
  const number = numberOf(cell);
  if (Number.isSafeInteger(number)) {
    const bounded = Math.max(min, Math.min(number, max ?? number));
    // `+ 0` turns -0 into 0.
    if (bounded === number) return bounded + 0;
  }
  throw invalidParameter(
    value,
    info,
    max === undefined ? `a whole number, ${min} or more` : `a whole number from ${min} to ${max}`,
  );
}

function numberOf(cell: unknown): number {
  if (typeof cell === 'number') return cell;
  const text = typeof cell === 'bigint' ? String(cell) : cell;
  return typeof text === 'string' && NUMBER.test(text) ? Number(text) : NaN;
}

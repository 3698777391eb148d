import type { Parameters } from '../../shared/parameters.ts';
import { concurrencyOption, optionsProperty } from '../descriptions/options.ts';

/**
 * How many items a run works on at once. A number out of bounds is brought into them: it changes only the speed.
 * @throws ParameterError for anything but a whole number
 */
export function readConcurrency(parameters: Parameters): number {
  return parameters.in(optionsProperty()).wholeNumber(concurrencyOption, 'clamp');
}

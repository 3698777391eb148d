import type { Parameters } from '../../shared/parameters.ts';
import { concurrencyOption, optionsProperty } from '../descriptions/options.ts';

/**
 * How many items a run processes at once. A number out of bounds is clamped, as it only affects the speed.
 * @throws ParameterError for anything but a whole number
 */
export function readConcurrency(parameters: Parameters): number {
  return parameters.in(optionsProperty()).wholeNumber(concurrencyOption, 'clamp');
}

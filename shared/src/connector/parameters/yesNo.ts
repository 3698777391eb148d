import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { isEmpty } from './text.ts';

const YES = ['true', 'yes', '1'];
const NO = ['false', 'no', '0'];

/**
 * Reads yes or no: from true or false, 1 or 0, or "true", "false", "yes", "no", "1" or "0" in any case. Undefined for
 * an empty value.
 * @throws ParameterError for anything else
 */
export function toYesNo(value: unknown, info: ParameterInfo): boolean | undefined {
  if (isEmpty(value)) return undefined;
  const word = wordOf(value);
  if (YES.includes(word)) return true;
  if (NO.includes(word)) return false;
  throw invalidParameter(value, info, 'yes or no (true or false)');
}

function wordOf(value: unknown): string {
  return typeof value === 'object' ? '' : `${value as string | number}`.trim().toLowerCase();
}

import { DIMENSIONS, type Dimension } from '../../config/scanDimensions.ts';
import { UsageError } from './UsageError.ts';

/** Reads `--scan-dimensions`. @throws UsageError */
export function readDimensions(text: string): Dimension[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !DIMENSIONS.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError(`--scan-dimensions must be none or some of ${DIMENSIONS.join()}, not ${unknown}.`);
  return names as Dimension[];
}

/** Reads `--low-score-notices`. @throws UsageError */
export function readSwitch(text: string): boolean {
  if (!['on', 'off'].includes(text))
    throw new UsageError(`--low-score-notices must be on or off, not ${text}.`);
  return text === 'on';
}

/** Reads an option in milliseconds. @throws UsageError */
export const readMilliseconds =
  (option: string) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text))
      throw new UsageError(`--${option} must be a number of milliseconds, not ${text}.`);
    return Number(text);
  };

import { UsageError } from './UsageError.ts';

/** The parts of a suite that were asked for by name, in the suite's order; all of them by default. @throws UsageError */
export function chosen<Name extends string>(
  all: Readonly<Record<Name, unknown>>,
  wanted: readonly string[],
): Name[] {
  const names = Object.keys(all) as Name[];
  const unknown = wanted.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined)
    throw new UsageError(`Unknown part "${unknown}". Choose from: ${names.join(', ')}.`);
  return wanted.length === 0 ? names : names.filter((name) => wanted.includes(name));
}

import { UsageError } from './UsageError.ts';

/** The parts of a suite that were asked for by name, in the suite's order; all of them by default. @throws UsageError */
export function selectParts<Name extends string>(
  all: Readonly<Record<Name, unknown>>,
  requested: readonly string[],
): Name[] {
  const names = Object.keys(all) as Name[];
  const unknown = requested.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined)
    throw new UsageError(`Unknown part "${unknown}". Choose from: ${names.join(', ')}.`);
  return requested.length === 0 ? names : names.filter((name) => requested.includes(name));
}

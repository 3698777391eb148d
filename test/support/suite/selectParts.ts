import { UsageError } from './UsageError.ts';

/** Selects parts of a suite by name, in the suite's order. Default: all. @throws UsageError for an unknown name */
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

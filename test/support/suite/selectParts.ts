/** An invalid command line. The message explains what is valid. */
class UsageError extends Error {}

/** Whether a command line is invalid. Unknown options that `parseArgs` finds count, too. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

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

/** An invalid command line. The message explains what is valid. */
export class UsageError extends Error {}

/** Whether a command line is invalid. Unknown options that `parseArgs` finds count, too. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

/** The command can't run as it was started. The message is for whoever started it, in whole sentences. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

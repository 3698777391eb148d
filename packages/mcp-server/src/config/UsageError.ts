/** The server was started with invalid arguments or an invalid configuration. The message is for whoever started it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

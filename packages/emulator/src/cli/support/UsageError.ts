/** A mistake on the command line. The message is one sentence, or two if the second says what to type. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

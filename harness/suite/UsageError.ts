/** An invalid command line. The message explains what is valid. */
export class UsageError extends Error {}

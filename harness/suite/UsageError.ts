/** A command line that can't be used; its message says what would be right. */
export class UsageError extends Error {}

import { UsageError } from './UsageError.ts';

/** A variable that the client should have replaced by its value, such as `${NAME}`, `${env:NAME}` or `%NAME%`. */
const UNEXPANDED = /\$\{.*\}|^%\w+%$/;

/**
 * Reads an environment variable without the spaces around it; undefined if nothing is left.
 * @throws UsageError if the client passed on the name of another variable, as that one isn't set
 */
export function readVariable(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name]?.trim() ?? '';
  if (UNEXPANDED.test(value))
    throw new UsageError(
      `${name} contains the name of a variable instead of its value. Set that variable where the client is started.`,
    );
  return value === '' ? undefined : value;
}

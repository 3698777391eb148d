import { readFileSync } from 'node:fs';
import { InputError } from '../validation/checkObject.ts';

/**
 * Reads a JSON file that an option names.
 * @param what what the file holds, for example `seed`
 * @param check throws an InputError for the part that is invalid
 * @throws Error naming the file, and the field that is invalid
 */
export function readJsonFile(what: string, file: string, check: (value: unknown) => unknown): unknown {
  const value = parse(what, file, read(what, file));
  try {
    check(value);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new Error(`The ${what} file ${file} can't be used: ${error.message}`, { cause: error });
  }
  return value;
}

function read(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`The ${what} file ${file} can't be read (${code ?? message}).`, { cause: error });
  }
}

function parse(what: string, file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message.replaceAll(/\s+/g, ' ').replace(/ is not valid JSON$/, '');
    throw new Error(`The ${what} file ${file} isn't valid JSON: ${reason}.`, { cause: error });
  }
}

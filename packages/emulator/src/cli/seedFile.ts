import { readFileSync } from 'node:fs';
import type { Seed } from '../config/seed.ts';
import { readSeed } from '../domain/readSeed.ts';
import { InputError } from '../validation/checkObject.ts';

/**
 * Reads a seed file.
 * @throws Error naming the file, and the field that is invalid
 */
export function readSeedFile(file: string): Seed {
  const seed = parse(file, read(file));
  try {
    readSeed(seed);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new Error(`The seed file ${file} can't be used: ${error.message}`, { cause: error });
  }
  return seed as Seed;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`The seed file ${file} can't be read (${code ?? message}).`, { cause: error });
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message.replaceAll(/\s+/g, ' ').replace(/ is not valid JSON$/, '');
    throw new Error(`The seed file ${file} isn't valid JSON: ${reason}.`, { cause: error });
  }
}

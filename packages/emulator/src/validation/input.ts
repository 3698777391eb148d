import { z } from 'zod';

/** A part of the input is invalid. */
export class InputError extends TypeError {
  override readonly name = 'InputError';
  /** Path of the part, for example `codes[0].name`; empty for the whole input. */
  readonly field: string;
  /** What is wrong with it, to follow its path in a sentence. */
  readonly problem: string;

  constructor(field: string, problem: string) {
    super(`${field === '' ? 'The input' : field} ${problem}.`);
    this.field = field;
    this.problem = problem;
  }
}

/** A code, key, delivery or other record doesn't exist. The message names it. */
export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError';
}

/** The schema of a value. @param check returns the problem, or undefined if the value is valid */
export function field<Value>(check: (value: unknown) => string | undefined): z.ZodType<Value, Value> {
  return z.custom<Value>((value) => check(value) === undefined, {
    error: ({ input }) => (input === undefined ? 'is missing' : check(input)),
  });
}

/** The schema of an object with these fields and no other. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code, input }) => {
      if (code === 'unrecognized_keys')
        return `isn't a known field; use one of: ${Object.keys(shape).join(', ')}`;
      return input === undefined ? 'is missing' : 'must be an object';
    },
  });
}

/** The schema of a list. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: 'must be a list' }).readonly();
}

/**
 * Reads a value.
 * @param name of the value, for the error
 * @throws InputError for its first part that is invalid
 */
export function readInput<Value>(schema: z.ZodType<Value>, value: unknown, name = ''): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = z.core.toDotPath([...(issue?.path ?? []), ...unknown]);
  const joint = name === '' || path === '' || path.startsWith('[') ? '' : '.';
  throw new InputError(name + joint + path, issue?.message ?? 'is invalid');
}

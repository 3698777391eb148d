import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Env } from '../http/env.ts';
import type { FieldCheck } from '../validation/checks.ts';

/** Reads a field of a submitted form; empty if it is missing. */
export type ReadField = (name: string) => string;

/** Reads a submitted form. */
export async function readForm(c: Context<Env>): Promise<ReadField> {
  const form = await c.req.parseBody();
  return (name) => {
    const value = form[name];
    return typeof value === 'string' ? value.trim() : '';
  };
}

/** Checks a field like the API does. @throws HTTPException naming the field by its label */
export function validate(label: string, value: string, check: FieldCheck): string {
  const problem = check(value);
  if (problem !== undefined) throw new HTTPException(422, { message: `${label} ${problem}.` });
  return value;
}

/** Runs work that may throw an error with a message for the user. @throws HTTPException with that message */
export function orFail<T>(status: 404 | 422, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new HTTPException(status, { message: (error as Error).message });
  }
}

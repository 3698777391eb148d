import type { Context } from 'hono';
import type { Env } from '../../http/env.ts';
import type { FieldCheck } from '../../validation/checks.ts';
import { PageError } from './PageError.ts';

/**
 * The fields of a form that was sent, each as text; what is missing is empty.
 * @throws Problem for a form of files that is not whole
 */
export async function readForm(c: Context<Env>): Promise<(name: string) => string> {
  const form = await c.req.parseBody().catch(() => {
    throw new PageError(400, 'The form can not be read.');
  });
  return (name) => {
    const value = form[name];
    return typeof value === 'string' ? value.trim() : '';
  };
}

/** Holds a field against a check of the API. @throws Problem that names the field as its label does */
export function validate(label: string, value: string, check: FieldCheck): string {
  const problem = check(value);
  if (problem !== undefined) throw new PageError(422, `${label} ${problem}.`);
  return value;
}

/** Leads to a page that says what was done. */
export function redirectWithNotice(c: Context<Env>, path: string, notice: string): Response {
  return c.redirect(`${path}?notice=${notice}`, 303);
}

/** Does what may be refused with a sentence. @throws Problem with that sentence */
export function orPageError<T>(status: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PageError(status, (error as Error).message);
  }
}

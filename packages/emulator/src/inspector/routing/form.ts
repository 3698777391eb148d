import type { Context } from 'hono';
import type { Env } from '../../http/env.ts';
import type { FieldCheck } from '../../validation/checks.ts';
import { PageError } from './PageError.ts';

/**
 * Reads a submitted form. The returned function returns a field's text, or an empty string if it is missing.
 * @throws PageError for an incomplete multipart form
 */
export async function readForm(c: Context<Env>): Promise<(name: string) => string> {
  const form = await c.req.parseBody().catch(() => {
    throw new PageError(400, "The form can't be read.");
  });
  return (name) => {
    const value = form[name];
    return typeof value === 'string' ? value.trim() : '';
  };
}

/** Checks a field like the API does. @throws PageError naming the field by its label */
export function validate(label: string, value: string, check: FieldCheck): string {
  const problem = check(value);
  if (problem !== undefined) throw new PageError(422, `${label} ${problem}.`);
  return value;
}

/** Redirects to a page that shows a notice. */
export function redirectWithNotice(c: Context<Env>, path: string, notice: string): Response {
  return c.redirect(`${path}?notice=${notice}`, 303);
}

/** Runs work that may throw an error with a message for the user. @throws PageError with that message */
export function orPageError<T>(status: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PageError(status, (error as Error).message);
  }
}

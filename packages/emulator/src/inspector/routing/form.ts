import type { Context } from 'hono';
import type { Env } from '../../http/env.ts';
import { readTime, type FieldCheck } from '../../validation/checks.ts';
import { PageError } from './PageError.ts';

/**
 * Reads a submitted form. The returned function returns a field's text, or an empty string if it is missing.
 * @throws PageError for an incomplete multipart form
 */
export async function readForm(c: Context<Env>): Promise<(name: string) => string> {
  const form = await c.req.parseBody({ all: true }).catch(() => {
    throw new PageError(400, "The form can't be read.");
  });
  return (name) => {
    const value = [form[name]].flat()[0];
    return typeof value === 'string' ? value.trim() : '';
  };
}

/** Checks a field like the API does. @throws PageError naming the field by its label */
export function validate(label: string, value: string, check: FieldCheck): string {
  const problem = check(value);
  if (problem !== undefined) throw new PageError(422, `${label} ${problem}.`);
  return value;
}

/**
 * Reads a field of a submitted form that may be sent several times. Call it after `readForm`, which has read the form.
 */
export async function readList(c: Context<Env>, name: string): Promise<readonly string[]> {
  const { [name]: value } = await c.req.parseBody({ all: true });
  return (value === undefined ? [] : [value].flat()).filter((each) => typeof each === 'string');
}

/**
 * Reads a date and time in UTC, as a field of the type `datetime-local` sends it.
 * @throws TypeError naming the field by its label
 */
export function readUtc(label: string, value: string): string {
  const time = readTime(`${value}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?$/.test(value) || Number.isNaN(time))
    throw new TypeError(`${label} must be a date and time, for example 2030-01-31T09:30.`);
  return new Date(time).toISOString();
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

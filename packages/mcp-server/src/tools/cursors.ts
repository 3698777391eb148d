import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Arguments } from '../schemas/Arguments.ts';

/** A place in a list: a page, by the API's own cursor, and how many of its rows are done. */
export interface Place {
  /** Passed back to the service unchanged; undefined for the first page. */
  cursor: string | undefined;
  /** Rows. */
  done: number;
}

/** The place before the first row. */
export const START: Place = { cursor: undefined, done: 0 };

/** The argument `cursor` of a list with such other arguments. */
export const cursorArgument = (fields: string, others: string) =>
  z.string().optional().describe(`${fields} of an earlier result. Repeat its ${others}.`);

/** The cursor that tools return. It only fits the same query: results wouldn't add up otherwise. */
export function writeCursor(kind: string, { cursor, done }: Place, query: object): string {
  return [kind, done, digest(query), ...(cursor === undefined ? [] : [cursor])].join('.');
}

/** The place that the argument `cursor` means, and its kind; undefined without one. */
export function readCursor(
  args: Arguments,
  kinds: readonly string[],
  query: object,
): { kind: string; place: Place } | undefined {
  const text = args.text('cursor');
  if (text === undefined) return undefined;
  const [, kind = '', done, hash, cursor] = /^(\w+)\.(\d{1,9})\.([\w-]+)(?:\.(.+))?$/s.exec(text) ?? [];
  if (!kinds.includes(kind))
    args.invalid('cursor', 'the cursor of an earlier result of this tool, unchanged');
  if (hash !== digest(query))
    args.invalid(
      'cursor',
      'used with the same other arguments',
      'Repeat those of the call that returned it.',
    );
  return { kind, place: { cursor, done: Number(done) } };
}

function digest(query: object): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 6);
}

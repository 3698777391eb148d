import type { Context } from 'hono';
import type { Env } from '../../http/env.ts';

/** Where a page of a list that runs newest first begins: after the place in `before`, or at the newest. */
export function readBefore(c: Context<Env>): number {
  const before = Number(c.req.query('before') ?? NaN);
  return Number.isSafeInteger(before) ? before : Number.MAX_SAFE_INTEGER;
}

/** The path of a row's details beside the same page of the list. */
export function detailPath(c: Context<Env>, path: string, query: Record<string, string> = {}): string {
  const before = c.req.query('before');
  const params = new URLSearchParams({ ...query, ...(before === undefined ? {} : { before }) }).toString();
  return params === '' ? path : `${path}?${params}`;
}

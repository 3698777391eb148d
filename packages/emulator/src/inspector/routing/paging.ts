import type { Context } from 'hono';
import type { Env } from '../../http/env.ts';
import { pathWith, type Filters } from './filters.ts';

/** Start of a page, newest first: before the sequence number in `before`, or at the newest. */
export function readBefore(c: Context<Env>): number {
  const before = Number(c.req.query('before') ?? NaN);
  return Number.isSafeInteger(before) ? before : Number.MAX_SAFE_INTEGER;
}

/** Path of a row's details that keeps the current page of the list and its filters beside them. */
export function detailPath(
  c: Context<Env>,
  path: string,
  query: Record<string, string> = {},
  filters: Filters = {},
): string {
  return pathWith(path, { ...query, ...filters, before: c.req.query('before') });
}

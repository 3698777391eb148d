import type { Context } from 'hono';
import type { Env } from '../../http/env.ts';

/** The filters that are set, by name, as in the URL. */
export type Filters = Readonly<Record<string, string>>;

const MAX_LENGTH = 200;

/** Reads the filters that a page has from its URL. Empty ones aren't set. */
export function readFilters(c: Context<Env>, names: readonly string[]): Filters {
  const given = names.map((name) => [name, (c.req.query(name) ?? '').trim().slice(0, MAX_LENGTH)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** A path with query parameters; those that are undefined are left out. */
export function pathWith(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Whether one of the texts contains the words searched for, in any case. No words match everything. */
export function matchesText(
  search: string | undefined,
  texts: readonly (string | null | undefined)[],
): boolean {
  const words = search?.toLowerCase();
  return words === undefined || texts.some((text) => text?.toLowerCase().includes(words) === true);
}

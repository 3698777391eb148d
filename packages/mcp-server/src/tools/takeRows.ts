import { z } from 'zod';
import type { Arguments } from '../schemas/Arguments.ts';
import { SEARCH_MS } from './codeArgument.ts';

/** Rows that a list returns unless `limit` says otherwise. */
export const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The argument `limit` of a list of such rows. */
export const limitArgument = (rows: string) =>
  z
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .describe(`Maximum number of ${rows} to return. Default ${DEFAULT_LIMIT}.`);

/** Reads the argument `limit`. */
export function readLimit(args: Arguments): number {
  return args.wholeNumber('limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT;
}

/** The first rows of a list, and how many more there are. */
export interface TakenRows<Row> {
  rows: Row[];
  /** Rows after those. */
  more: number;
  /** Whether there may be even more: counting stopped. */
  isMinimum: boolean;
  /** Rows that were looked through. */
  read: number;
}

/** Rows that are read to count the others. */
const MAX_COUNTED = 1000;

/**
 * The first `limit` rows that match. Reads on to count the others, but not forever: a model has to know that there are
 * more, and not exactly how many.
 */
export async function takeRows<Row>(
  list: AsyncIterable<Row>,
  limit: number,
  { matches = () => true, report }: { matches?: (row: Row) => boolean; report: (read: number) => void },
): Promise<TakenRows<Row>> {
  const rows: Row[] = [];
  let more = 0;
  let read = 0;
  const end = Date.now() + SEARCH_MS;
  for await (const row of list) {
    if (Date.now() >= end || (read >= MAX_COUNTED && rows.length === limit))
      return { rows, more, isMinimum: true, read };
    read += 1;
    if (read % 100 === 0) report(read);
    if (!matches(row)) continue;
    if (rows.length < limit) rows.push(row);
    else more += 1;
  }
  return { rows, more, isMinimum: false, read };
}

/** A sentence about the rows that were left out; empty if there are none. */
export function moreText({ more, isMinimum }: TakenRows<unknown>, advice: string): string {
  if (more === 0 && !isMinimum) return '';
  const count = `${isMinimum ? 'at least ' : ''}${more} more`;
  const there = more === 0 ? 'There may be more' : `There ${more === 1 ? 'is' : 'are'} ${count}`;
  return `${there}. ${advice}`;
}

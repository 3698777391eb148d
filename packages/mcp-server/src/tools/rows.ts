import type { ImageFormat } from '@qr-service/core';
import {
  describeNotPublished,
  IMAGE_FORMATS,
  invalidParameter,
  isNotPublishedError,
} from '@qr-service/core/connector';
import pMap from 'p-map';
import * as z from 'zod';
import { toToolError, type RowWords, type ToolError } from '../errors/toolError.ts';
import { oneOf, type Argument } from '../schemas/arguments.ts';
import { CODE_SCHEMA, codeRecord } from '../schemas/records.ts';
import { ERROR_SCHEMA } from '../schemas/toolSchema.ts';
import { targetOf } from '../session/session.ts';
import { createGeneralFailure } from './generalFailure.ts';
import { ATTACHED, createDrawer } from './images.ts';
import { lines, words, type ToolCall, type ToolResult } from './Tool.ts';

/** Rows that are processed at once. */
const ROW_CONCURRENCY = 10;

/** What became of a row. */
export interface RowResult {
  /** From 1. */
  row: number;
  outcome: string;
  qrCode?: Record<string, unknown> & { id: string };
  error?: ToolError;
  image?: string;
  imageError?: string;
  repeated?: true;
  previousUrl?: string;
}

/** The argument `images` of tools that create codes. */
export const IMAGES_ARGUMENT = oneOf(
  'Also draws each code: png for screens, svg or pdf for print. Default: no images.',
  IMAGE_FORMATS,
);

/** The output of a tool that creates or changes codes: which rows have succeeded, and what else a result has. */
export function rowsOutput(succeeded: string, fields: z.ZodRawShape): z.ZodObject {
  const result = z.object({
    row: z.int().describe('Number of the row, from 1.'),
    ...fields,
    qrCode: CODE_SCHEMA.optional(),
    image: z.string().optional().describe("Path, or attached. If you can't see it, call render_qr_codes."),
    imageError: z.string().optional().describe('Why there is no image.'),
    error: ERROR_SCHEMA.optional(),
  });
  return z.object({
    succeeded: z.int().describe(succeeded),
    failed: z.int().describe("Rows that failed or weren't sent."),
    results: z.array(result).describe('In the order of the rows.'),
  });
}

/** What a tool does with its rows. */
export interface RowWork<Row> {
  errorWords: RowWords;
  read: Argument<Row>['read'];
  /** Why valid rows contradict each other, by their indices. */
  conflicts?: (rows: ReadonlyMap<number, Row>) => ReadonlyMap<number, Error>;
  images?: ImageFormat | undefined;
  /** The Idempotency-Key of the code that a row creates: rows that share one are sent one after the other. */
  keyOf?: (row: Row) => string | undefined;
  isExisting: (row: Row) => boolean;
  send: (row: Row, number: number) => Promise<Omit<RowResult, 'row'>>;
  /** The result's first sentences, from the number of rows with an outcome. */
  summary: (count: (outcome: string) => number) => string;
  /** What became of a row, in parts that may be empty. */
  describe: (result: RowResult) => readonly string[];
}

/**
 * Processes rows, several at once. A row that fails doesn't affect the others, unless they would fail for the same reason:
 * then they aren't sent.
 */
export async function runRows<Row>(
  call: ToolCall,
  rows: readonly unknown[],
  work: RowWork<Row>,
): Promise<ToolResult> {
  const { session, signal, report, canDraw } = call;
  // Before any code is created.
  if (work.images !== undefined && !canDraw)
    throw invalidParameter(
      work.images,
      { label: 'images' },
      'left out: the API key lacks the scope exports:read',
    );
  const drawer = work.images && createDrawer(call, { format: work.images });
  const generalFailure = createGeneralFailure();

  async function send(row: Row, number: number): Promise<Omit<RowResult, 'row'>> {
    const failure = generalFailure.errorFor({ isExisting: work.isExisting(row) });
    if (failure !== undefined) return { outcome: 'not_sent', error: toToolError(failure) };
    try {
      const result = await work.send(row, number);
      generalFailure.note(undefined);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      generalFailure.note(isNotPublishedError(error) ? error.cause : error);
      return failed(call, error, { errorWords: work.errorWords, key: work.keyOf?.(row) });
    }
  }

  const { valid, invalid } = readRows(rows, work);

  async function run(index: number): Promise<Omit<RowResult, 'row'>> {
    if (invalid.has(index)) return { outcome: 'failed', error: toToolError(invalid.get(index)) };
    const row = valid.get(index) as Row;
    const key = work.keyOf?.(row);
    return key === undefined ? send(row, index + 1) : session.inTurn(key, () => send(row, index + 1));
  }

  let done = 0;
  const results = await pMap(
    rows,
    async (_, index): Promise<RowResult> => {
      const result = { row: index + 1, ...(await run(index)) };
      const drawn = (await drawer?.addTo(result)) ?? result;
      done += 1;
      report(done, rows.length, `${done} of ${rows.length} rows`);
      return drawn;
    },
    { concurrency: ROW_CONCURRENCY },
  );
  return { ...rowsResult(results, work), content: drawer?.attached() ?? [] };
}

/** Reads the rows, by their indices. An invalid one doesn't affect the others. */
function readRows<Row>(rows: readonly unknown[], { read, conflicts }: RowWork<Row>) {
  const valid = new Map<number, Row>();
  const invalid = new Map<number, unknown>();
  for (const [index, given] of rows.entries()) {
    try {
      valid.set(index, read(given, { label: rowLabel(index) }));
    } catch (error) {
      invalid.set(index, error);
    }
  }
  for (const [index, error] of conflicts?.(valid) ?? []) invalid.set(index, error);
  return { valid, invalid };
}

/** What errors call a row. */
export function rowLabel(index: number): string {
  return `row ${index + 1}`;
}

/** What became of a row that failed: its code may exist. */
function failed(
  { memory, session }: ToolCall,
  error: unknown,
  { errorWords, key }: { errorWords: RowWords; key: string | undefined },
): Omit<RowResult, 'row'> {
  if (!isNotPublishedError(error)) return { outcome: 'failed', error: toToolError(error, errorWords) };
  const { code, cause, qrCode } = error;
  if (key !== undefined) session.created.set(key, qrCode.id);
  return {
    outcome: 'not_published',
    qrCode: codeRecord(qrCode, targetOf(memory, qrCode)),
    error: { ...toToolError(cause, errorWords, describeNotPublished(error, errorWords)), code },
  };
}

function rowsResult(
  results: readonly RowResult[],
  { summary, describe }: Pick<RowWork<never>, 'summary' | 'describe'>,
): ToolResult {
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  const succeeded = results.filter(({ error }) => error === undefined).length;
  return {
    text: lines(
      words(
        summary(count),
        countText(count('not_published'), 'row', 'created but not published.'),
        countText(count('failed'), 'row', 'failed.'),
        countText(count('not_sent'), 'row', 'not sent after that.'),
      ),
      results.some(({ image }) => image === ATTACHED) ? 'The images follow, in the order of the rows.' : '',
      ...results.map((result) => {
        const { row, error, image, imageError } = result;
        const drawn = image === undefined ? (imageError ?? '') : `· image ${image}`;
        return words(`Row ${row}:`, ...describe(result), drawn, error?.message ?? '');
      }),
    ),
    structured: { succeeded, failed: results.length - succeeded, results },
    isError: results.every(({ qrCode }) => qrCode === undefined),
  };
}

/** Empty for none. */
function countText(count: number, unit: string, text: string): string {
  return count === 0 ? '' : `${count} ${unit}${count === 1 ? '' : 's'} ${text}`;
}

import pMap from 'p-map';
import * as z from 'zod';
import type { ToolError } from '../errors/toolError.ts';
import { ERROR_SCHEMA } from '../schemas/toolSchema.ts';
import { lines, words } from './codeResult.ts';
import { ATTACHED } from './images.ts';
import type { ToolCall, ToolResult } from './Tool.ts';

/** Rows that are processed at once. */
const ROW_CONCURRENCY = 10;

/** What became of a row. */
export interface RowResult<Outcome extends string> {
  /** From 1. */
  row: number;
  outcome: Outcome;
  qrCode?: Record<string, unknown> & { id: string };
  error?: ToolError;
  /** Path of the code's image, or `attached`. */
  image?: string;
  /** Why there is no image. */
  imageError?: string;
}

/**
 * The output of a tool that processes rows.
 * @param succeeded which rows count as such
 * @param fields what a result has besides its row and its error
 */
export function rowsOutput(succeeded: string, fields: z.ZodRawShape): z.ZodObject {
  const result = z.object({
    row: z.int().describe('Number of the row, from 1.'),
    ...fields,
    error: ERROR_SCHEMA.optional(),
  });
  return z.object({
    succeeded: z.int().describe(succeeded),
    failed: z.int().describe("Rows that failed or weren't sent."),
    results: z.array(result).describe('In the order of the rows.'),
  });
}

/** Processes rows, several at once, and reports the progress. */
export async function processRows<Row, Result>(
  { report }: Pick<ToolCall, 'report'>,
  rows: readonly Row[],
  process: (row: Row) => Promise<Result>,
): Promise<Result[]> {
  let done = 0;
  const run = async (row: Row) => {
    const result = await process(row);
    done += 1;
    report(done, rows.length, `${done} of ${rows.length} rows`);
    return result;
  };
  return pMap(rows, run, { concurrency: ROW_CONCURRENCY });
}

/**
 * What a tool returns for its rows.
 * @param summary its first sentences, from the number of rows with an outcome
 * @param describe what became of a row, in parts that may be empty
 */
export function rowsResult<Outcome extends string, Result extends RowResult<Outcome>>(
  results: readonly Result[],
  succeeded: (result: Result) => boolean,
  summary: (count: (outcome: Outcome | 'not_published' | 'failed' | 'not_sent') => number) => string,
  describe: (result: Result) => readonly string[],
): ToolResult {
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  const number = results.filter(succeeded).length;
  return {
    text: lines(
      words(
        summary(count),
        rowsText(count('not_published'), 'created but not published'),
        rowsText(count('failed'), 'failed'),
        rowsText(count('not_sent'), 'not sent after that'),
      ),
      imagesText(results),
      ...results.map((result) => {
        const { row, error, image, imageError } = result;
        const where = image === undefined ? '' : `· image ${image}`;
        const why = imageError === undefined ? '' : `(${imageError})`;
        return words(`Row ${row}:`, ...describe(result), where, why, error?.message ?? '');
      }),
    ),
    structured: { succeeded: number, failed: results.length - number, results },
    isError: results.every(({ qrCode }) => qrCode === undefined),
  };
}

/** Says what became of the images; empty for none. */
function imagesText(results: readonly RowResult<string>[]): string {
  const attached = results.filter(({ image }) => image === ATTACHED).length;
  const files = results.filter(({ image }) => image !== undefined).length - attached;
  const missing = results.filter(({ imageError }) => imageError !== undefined).length;
  return words(
    files === 0 ? '' : `${files} ${files === 1 ? 'image is a file' : 'images are files'}.`,
    attached === 0 ? '' : 'The images follow, in the order of the rows.',
    missing === 0 ? '' : `${missing} ${missing === 1 ? 'image is' : 'images are'} missing.`,
  );
}

/** Says what became of a number of rows; empty for none. */
function rowsText(number: number, text: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? 'row' : 'rows'} ${text}.`;
}

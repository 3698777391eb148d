import { isTransportError, type QrCode } from '@qr-service/core';
import {
  describeNotPublished,
  isNotPublishedError,
  type NotPublishedWords,
} from '@qr-service/core/connector';
import pMap from 'p-map';
import * as z from 'zod';
import { toToolError, type ToolError } from '../errors/toolError.ts';
import { ERROR_SCHEMA } from '../schemas/toolSchema.ts';
import { GeneralFailure } from './GeneralFailure.ts';
import { ATTACHED, drawerOfRows, type RowResult } from './images.ts';
import type { Row } from './rows.ts';
import { lines, words, type ToolCall, type ToolResult } from './Tool.ts';

/** Rows that are processed at once. */
const ROW_CONCURRENCY = 10;

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
export async function processRows<Item, Result>(
  { report }: Pick<ToolCall, 'report'>,
  rows: readonly Item[],
  process: (row: Item) => Promise<Result>,
): Promise<Result[]> {
  let done = 0;
  const run = async (row: Item) => {
    const result = await process(row);
    done += 1;
    report(done, rows.length, `${done} of ${rows.length} rows`);
    return result;
  };
  return pMap(rows, run, { concurrency: ROW_CONCURRENCY });
}

/** What a tool does with the rows that create or change codes. */
export interface RowWork<Fields, Result extends RowResult> extends RowTexts<Result> {
  /** The Idempotency-Key of the code that a row creates; undefined for a row about an existing one. */
  keyOf: (row: Fields) => string | undefined;
  /** The result of a row with the key of an earlier one, which is over. `send` sends the row as well. */
  repeat: (first: Result, send: () => Promise<Result>) => Result | Promise<Result>;
  /** Whether the row's code is known to exist. */
  isExisting: (row: Fields, key: string | undefined) => boolean;
  /** Sends a row. Throws the core's errors. */
  send: (row: Fields, key: string | undefined) => Promise<{ code: QrCode } & Omit<Result, 'row' | 'qrCode'>>;
  /** Records a row's code, and returns how the result shows it. */
  show: (code: QrCode, row: Fields & { key: string | undefined; isPublished: boolean }) => Partial<Result>;
  /** Describes why a row failed. */
  describeError: (error: unknown, row: Fields & { row: number; key: string | undefined }) => ToolError;
  notPublishedWords: NotPublishedWords;
}

/**
 * Creates or changes the codes of rows, and draws them if the argument `images` asks for that. A row that fails doesn't
 * affect the others, unless they would fail for the same reason: then they aren't sent.
 */
export async function runRows<Fields, Result extends RowResult>(
  call: ToolCall,
  rows: readonly Row<Fields>[],
  work: RowWork<Fields, Result>,
): Promise<ToolResult> {
  const drawer = drawerOfRows(call);
  const generalFailure = new GeneralFailure();
  const started = new Map<string, Promise<Result>>();

  async function send(row: { row: number } & Fields, key: string | undefined): Promise<Result> {
    call.signal.throwIfAborted();
    const result = (fields: object) => ({ row: row.row, ...fields }) as Result;
    const failure = generalFailure.errorFor({ isExisting: work.isExisting(row, key) });
    if (failure !== undefined) return result({ outcome: 'not_sent', error: toToolError(failure) });
    try {
      const { code, ...sent } = await work.send(row, key);
      generalFailure.note(undefined);
      return result({ ...work.show(code, { ...row, key, isPublished: true }), ...sent });
    } catch (error) {
      if (isTransportError(error) && error.kind === 'aborted') throw error;
      if (!isNotPublishedError(error)) {
        generalFailure.note(error);
        return result({ outcome: 'failed', error: work.describeError(error, { ...row, key }) });
      }
      generalFailure.note(error.cause);
      const described = describeNotPublished(error, work.notPublishedWords);
      return result({
        ...work.show(error.qrCode, { ...row, key, isPublished: false }),
        outcome: 'not_published',
        error: { ...toToolError(error.cause, { described }), code: error.code },
      });
    }
  }

  /** Rows with the same key run one after the other. */
  async function run(row: Row<Fields>): Promise<Result> {
    if ('error' in row)
      return { row: row.row, outcome: 'failed', error: toToolError(row.error) } as unknown as Result;
    const key = work.keyOf(row);
    if (key === undefined) return send(row, key);
    const first = started.get(key);
    const result =
      first === undefined
        ? send(row, key)
        : first.then(async (done) => ({ ...(await work.repeat(done, () => send(row, key))), row: row.row }));
    started.set(key, result);
    return result;
  }

  const results = await processRows(call, rows, async (row) => {
    const result = await run(row);
    return drawer === undefined ? result : drawer.addTo(result);
  });
  return { ...rowsResult(results, work), content: drawer?.attached ?? [] };
}

/** How a tool tells what became of its rows. */
export interface RowTexts<Result> {
  hasSucceeded: (result: Result) => boolean;
  /** The first sentences, from the number of rows with an outcome. */
  summary: (count: (outcome: string) => number) => string;
  /** What became of a row, in parts that may be empty. */
  describe: (result: Result) => readonly string[];
}

/** What a tool returns for its rows. */
export function rowsResult<Result extends RowResult>(
  results: readonly Result[],
  { hasSucceeded, summary, describe }: RowTexts<Result>,
): ToolResult {
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  const succeeded = results.filter(hasSucceeded).length;
  return {
    text: lines(
      words(
        summary(count),
        countText(count('not_published'), 'row', 'created but not published.'),
        countText(count('failed'), 'row', 'failed.'),
        countText(count('not_sent'), 'row', 'not sent after that.'),
      ),
      imagesText(results),
      ...results.map((result) => {
        const { row, error, image, imageError } = result;
        const where = image === undefined ? '' : `· image ${image}`;
        const why = imageError === undefined ? '' : `(${imageError})`;
        return words(`Row ${row}:`, ...describe(result), where, why, error?.message ?? '');
      }),
    ),
    structured: { succeeded, failed: results.length - succeeded, results },
    isError: results.every(({ qrCode }) => qrCode === undefined),
  };
}

/** Says what became of the images; empty for none. */
function imagesText(results: readonly RowResult[]): string {
  const attached = results.filter(({ image }) => image === ATTACHED).length;
  const files = results.filter(({ image }) => image !== undefined).length - attached;
  const missing = results.filter(({ imageError }) => imageError !== undefined).length;
  return words(
    countText(files, 'image', files === 1 ? 'is a file.' : 'are files.'),
    attached === 0 ? '' : 'The images follow, in the order of the rows.',
    countText(missing, 'image', missing === 1 ? 'is missing.' : 'are missing.'),
  );
}

/** Empty for none. */
function countText(count: number, unit: string, text: string): string {
  return count === 0 ? '' : `${count} ${unit}${count === 1 ? '' : 's'} ${text}`;
}

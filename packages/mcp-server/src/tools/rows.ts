import { describeNotPublished, isNotPublishedError } from '@qr-service/core/connector';
import pMap from 'p-map';
import * as z from 'zod';
import { toToolError, type RowWords, type ToolError } from '../errors/toolError.ts';
import { CODE_SCHEMA, codeLine, codeRecord, shownUrl } from '../schemas/records.ts';
import { ERROR_SCHEMA } from '../schemas/toolSchema.ts';
import { targetOf } from '../session/session.ts';
import { createGeneralFailure } from './generalFailure.ts';
import { ATTACHED, type Drawer } from './images.ts';
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
  image?: string | undefined;
  imageError?: string;
  repeated?: true;
  previousUrl?: string;
}

/** The same before its number is added. */
export type SentRow = Omit<RowResult, 'row'>;

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

/** What errors call a row. */
const rowLabel = (index: number) => `row ${index + 1}`;

/** A row as it was read: what to send, or why nothing is sent. */
type ReadRow<Row> = { row: Row } | { error: unknown };

/**
 * Reads rows. An invalid one doesn't affect the others.
 * @param conflictsOf finds valid rows that contradict each other, by their indices
 */
export function readRows<Row>(
  given: readonly unknown[],
  read: (fields: unknown, label: string) => Row,
  conflictsOf?: (rows: ReadonlyMap<number, Row>, nameOf: typeof rowLabel) => ReadonlyMap<number, unknown>,
): ReadRow<Row>[] {
  const valid = new Map<number, Row>();
  const rows = given.map((fields, index): ReadRow<Row> => {
    try {
      const row = read(fields, rowLabel(index));
      valid.set(index, row);
      return { row };
    } catch (error) {
      return { error };
    }
  });
  for (const [index, error] of conflictsOf?.(valid, rowLabel) ?? []) rows[index] = { error };
  return rows;
}

/** What a tool does with rows. */
interface RowWork<Row> {
  errorWords: RowWords;
  /** Draws each row's code. */
  drawer: Drawer | undefined;
  isExisting: (row: Row) => boolean;
  send: (row: Row, number: number) => Promise<SentRow>;
  /** The first line of the result. */
  summary: (countOf: (outcome: string) => number) => string;
  /** Whether the line of each row has the outcome, too. */
  showsOutcomes?: boolean;
}

/**
 * Sends rows, several at once. A row that fails doesn't affect the others, unless they would fail for the same reason:
 * then they aren't sent. Rows that create the same code, with the same Idempotency-Key, are sent one after the other.
 */
export async function sendRows<Row extends { key: string | undefined }>(
  call: ToolCall,
  rows: readonly ReadRow<Row>[],
  work: RowWork<Row>,
): Promise<ToolResult> {
  const { errorWords, drawer, isExisting, send } = work;
  const { session, signal, report } = call;
  const generalFailure = createGeneralFailure();
  let done = 0;

  async function sendOne(row: Row, number: number): Promise<SentRow> {
    const failure = generalFailure.errorFor({ isExisting: isExisting(row) });
    if (failure !== undefined) return { outcome: 'not_sent', error: toToolError(failure) };
    try {
      const sent = await send(row, number);
      generalFailure.note(undefined);
      return sent;
    } catch (error) {
      signal.throwIfAborted();
      generalFailure.note(isNotPublishedError(error) ? error.cause : error);
      return failed(call, error, errorWords, row.key);
    }
  }

  async function sendInTurn(read: ReadRow<Row>, number: number): Promise<SentRow> {
    if ('error' in read) return { outcome: 'failed', error: toToolError(read.error) };
    if (read.row.key === undefined) return sendOne(read.row, number);
    return session.inTurn(read.row.key, () => sendOne(read.row, number));
  }

  async function complete(read: ReadRow<Row>, index: number): Promise<RowResult> {
    const sent = { row: index + 1, ...(await sendInTurn(read, index + 1)) };
    const result = drawer === undefined ? sent : await drawer.addTo(sent);
    done += 1;
    report(done, rows.length, `${done} of ${rows.length} rows`);
    return result;
  }

  const results = await pMap(rows, complete, { concurrency: ROW_CONCURRENCY });
  const withImages = results.map((result) => drawer?.attach(result) ?? result);
  return rowsResult(withImages, work);
}

/** What became of a row that failed: its code may exist. */
function failed({ memory, session }: ToolCall, error: unknown, errorWords: RowWords, key?: string): SentRow {
  if (!isNotPublishedError(error)) return { outcome: 'failed', error: toToolError(error, errorWords) };
  const { code, cause, qrCode } = error;
  if (key !== undefined) session.created.set(key, qrCode.id);
  return {
    outcome: 'not_published',
    qrCode: codeRecord(qrCode, targetOf(memory, qrCode)),
    error: { ...toToolError(cause, errorWords, describeNotPublished(error, errorWords)), code },
  };
}

/** A summary, and a line for each row. */
function rowsResult<Row>(results: readonly RowResult[], work: RowWork<Row>): ToolResult {
  const { drawer, summary, showsOutcomes = false } = work;
  const countOf = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  const succeeded = results.filter(({ error }) => error === undefined).length;
  const hasAttached = results.some(({ image }) => image === ATTACHED);
  return {
    text: lines(
      words(
        summary(countOf),
        countText(countOf('not_published'), 'created but not published.'),
        countText(countOf('failed'), 'failed.'),
        countText(countOf('not_sent'), 'not sent after that.'),
      ),
      hasAttached ? 'The images follow, in the order of the rows.' : '',
      ...results.map((result) => rowText(result, showsOutcomes)),
    ),
    structured: { succeeded, failed: results.length - succeeded, results },
    content: drawer?.attached ?? [],
    isError: results.every(({ qrCode }) => qrCode === undefined),
  };
}

function rowText(result: RowResult, showsOutcome: boolean): string {
  const { row, outcome, qrCode, error, image, imageError, previousUrl, repeated } = result;
  return words(
    `Row ${row}:`,
    qrCode && showsOutcome ? `${outcome} ·` : '',
    qrCode ? codeLine(qrCode) : '',
    repeated ? '(the same code as before; set copy to create another)' : '',
    previousUrl === undefined ? '' : `(pointed to ${shownUrl(previousUrl)} before)`,
    image === undefined ? (imageError ?? '') : `· image ${image}`,
    error?.message ?? '',
  );
}

/** How many rows had an outcome; empty for none. */
function countText(count: number, text: string): string {
  if (count === 0) return '';
  return `${count} ${count === 1 ? 'row' : 'rows'} ${text}`;
}

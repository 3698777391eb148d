import { isOwnError, omitUndefined, showText } from '@qr-service/core/connector';
import type { ScanPage, ScanRow } from '@qr-service/core';
import * as z from 'zod';
import { SCAN_SCHEMA, scanLine } from '../schemas/records.ts';
import { codeIdOf } from './oneCode.ts';
import { ScanCounts } from './ScanCounts.ts';
import {
  cursorArgument,
  DEFAULT_LIMIT,
  limitArgument,
  readCursor,
  readLimit,
  readList,
  ShownRows,
  START,
  writeCursor,
  type Placed,
} from './lists.ts';
import { lines, READS, SEARCH_MS, words, type Tool, type ToolCall, type ToolResult } from './Tool.ts';

/** Kinds of cursors: to list more of the scans that were counted, and to count those after them. */
const LIST = 'list';
const COUNT = 'count';

/** Counts and lists scans. */
export const listScans: Tool = {
  name: 'list_scans',
  title: 'List Scans',
  description: [
    'Counts scans, per QR code and per day, and lists the first of them, oldest first.',
    'Use it to see how often, when and where codes were scanned: set since, and code for one of them.',
    `Returns counts of all these scans, or says that not all could be read in time and how to continue, and the first ${DEFAULT_LIMIT} of them. Scans have only the details, such as country, that the workspace's privacy settings allow.`,
    'It never identifies visitors.',
  ].join(' '),
  annotations: READS,
  operations: ['scans.list'],
  input: z.object({
    code: z.string().optional().describe("ID or short link of a QR code. Other codes' scans are left out."),
    since: z.string().optional().describe('Only scans at or after this time, in ISO 8601.'),
    until: z.string().optional().describe('Only scans before this time.'),
    limit: limitArgument('scans'),
    cursor: cursorArgument('nextCursor or resumeCursor', 'code, since and until'),
  }),
  output: z.object({
    count: z.int().optional().describe('Missing if nextCursor was passed: they were counted before.'),
    perCode: z.record(z.string(), z.int()).optional().describe('By ID.'),
    perDay: z.record(z.string(), z.int()).optional().describe('By day in UTC.'),
    complete: z.boolean().optional().describe('Whether all were counted.'),
    countedUntil: z.string().optional().describe('If not: time of the last scan that was read.'),
    read: z.int().describe('Scans that were read: this server filters them by code and until.'),
    withoutCode: z.int().optional().describe("Scans left out because they don't name their code."),
    scans: z.array(SCAN_SCHEMA),
    nextCursor: z.string().optional().describe('To list the next ones.'),
    resumeCursor: z.string().optional().describe('To count later ones: counts add up.'),
    allowedDimensions: z.array(z.string()).describe('Details that the workspace allows.'),
  }),
  run: async (call) => {
    const { args, client, signal, report } = call;
    const endsAt = Date.now() + SEARCH_MS;
    const limit = readLimit(args);
    const query = { code: args.text('code'), since: args.time('since'), until: args.time('until') };
    const { since, until } = query;
    if (since !== undefined && until !== undefined && until <= since)
      args.invalid('until', 'later than since');
    const { kind, place: from } = readCursor(args, [LIST, COUNT], query) ?? { kind: COUNT, place: START };
    const code = query.code === undefined ? undefined : await codeIdOf(call);

    const counts = new ScanCounts({ code, since, until });
    const shown = new ShownRows<Record<string, unknown>>(limit);
    const allowed = new Set<string>();
    const take = (rows: Placed<ScanRow>[], { allowedDimensions }: ScanPage) => {
      for (const dimension of allowedDimensions) allowed.add(dimension);
      for (const [scan, place] of counts.addPage(rows)) shown.add(scan, place);
      report(counts.read, undefined, `${counts.read} scans read`);
      return !counts.isOver && (kind === COUNT || shown.next === undefined);
    };
    const pagesFrom = (cursor: string | undefined, pageSignal: AbortSignal) =>
      client.scans.list(omitUndefined({ since: justBefore(since), cursor }), { signal: pageSignal }).pages();
    const end = await readList<ScanRow, ScanPage>({ pagesFrom, from, endsAt, signal }, take);
    const isComplete = end.isEnd || counts.isOver;
    // A code that doesn't exist has no scans: that would be no answer.
    if (counts.count === 0 && code !== undefined && isComplete) await requireCode(call, code);
    const next = shown.next ?? (kind === COUNT || isComplete ? undefined : end.place);
    return toResult(
      { counts, code, shown: shown.rows, allowedDimensions: [...allowed] },
      kind === LIST
        ? undefined
        : {
            complete: isComplete,
            resumeCursor: counts.isOver ? undefined : writeCursor(COUNT, end.place, query),
          },
      next && writeCursor(LIST, next, query),
    );
  },
};

/** Whether `since` includes its own instant is open (API text): the service is asked for a millisecond more. */
function justBefore(since: string | undefined): string | undefined {
  return since === undefined ? undefined : new Date(Date.parse(since) - 1).toISOString();
}

/** @throws ApiError if the code does not exist; a key without `qr:read` can't tell */
async function requireCode({ client, signal }: ToolCall, id: string): Promise<void> {
  await client.qr.get(id, { signal }).catch((error: unknown) => {
    if (isOwnError(error, 404)) throw error;
  });
}

interface Found {
  counts: ScanCounts;
  code: string | undefined;
  shown: Record<string, unknown>[];
  allowedDimensions: string[];
}

/** @param total undefined for scans that were counted before */
function toResult(
  { counts, code, shown, allowedDimensions }: Found,
  total: { complete: boolean; resumeCursor: string | undefined } | undefined,
  nextCursor: string | undefined,
): ToolResult {
  const { count, read, readUntil, withoutCode } = counts;
  const perCode = counts.perCode();
  const perDay = counts.perDay();
  const countText =
    total &&
    lines(
      words(
        `${count === 0 ? 'No' : count} ${count === 1 ? 'scan was' : 'scans were'} found.`,
        total.complete
          ? ''
          : `Not all could be read in time: the last one that was read is of ${readUntil ?? 'an unknown time'}. To count the rest, pass the cursor "${total.resumeCursor}", and add up.`,
      ),
      countsText('Per QR code', perCode),
      countsText('Per day in UTC', perDay),
    );
  const counted = total && {
    ...{ count, perCode, perDay },
    ...omitUndefined({ ...total, countedUntil: total.complete ? undefined : readUntil }),
  };
  return {
    text: lines(
      countText ?? '',
      code === undefined
        ? ''
        : `This server kept the scans of QR code ${showText(code)} out of ${read}: the service can't filter by code.`,
      withoutCode === 0 ? '' : `${withoutCode} were left out because they don't name their code.`,
      ...shown.map(scanLine),
      nextCursor === undefined ? '' : `To list the next ones, pass the cursor "${nextCursor}".`,
      allowedDimensions.length === 0
        ? ''
        : `Allowed dimensions: ${allowedDimensions.map((name) => showText(name)).join(', ')}.`,
    ),
    structured: {
      ...counted,
      read,
      ...(withoutCode === 0 ? {} : { withoutCode }),
      scans: shown,
      ...omitUndefined({ nextCursor }),
      allowedDimensions,
    },
  };
}

function countsText(title: string, counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([key, count]) => `${showText(key)}: ${count}`);
  return parts.length === 0 ? '' : `${title}: ${parts.join(', ')}.`;
}

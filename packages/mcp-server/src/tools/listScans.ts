import { checkPeriod, isOwnError, omitUndefined, ScanCounter, showText } from '@qr-service/core/connector';
import * as z from 'zod';
import { text, time } from '../schemas/arguments.ts';
import { SCAN_SCHEMA, scanLine, scanRecord } from '../schemas/records.ts';
import { cursorArgument, DEFAULT_LIMIT, limitArgument, listRows, writeCursor } from './lists.ts';
import { codeIdOf } from './oneCode.ts';
import { defineTool, lines, READS, SEARCH_MS, words, type ToolCall } from './Tool.ts';

/** Codes or days that a result names; the others are counted together. */
const MAX_NAMED = 100;

/** The first counts, and the sum of the others. */
function firstOf(counts: [string, number][], others: string): Record<string, number> {
  const shown = counts
    .slice(0, MAX_NAMED)
    .map(([name, count]): [string, number] => [name || 'unknown', count]);
  const rest = counts.slice(MAX_NAMED).reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries(rest > 0 ? [...shown, [others, rest]] : shown);
}

/** Counts and lists scans. */
export const listScans = defineTool({
  name: 'list_scans',
  title: 'List Scans',
  description: [
    'Counts scans, per QR code and per day, and lists the first of them.',
    'Use it to see how often, when and where codes were scanned: set since, and code for one of them.',
    `Returns the counts and the first ${DEFAULT_LIMIT} scans; if not all could be counted in time, it says so and how to continue. Scans have only the details, such as country, that the workspace's privacy settings allow.`,
    'It never identifies visitors.',
  ].join(' '),
  annotations: READS,
  page: 'the counts with bars',
  operations: ['scans.list'],
  input: {
    code: text("ID or short link of a QR code. Other codes' scans are left out."),
    since: time('Only scans at or after this time, in ISO 8601.'),
    until: time('Only scans before this time.'),
    limit: limitArgument('scans'),
    cursor: cursorArgument('nextCursor or resumeCursor', 'code, since and until'),
  },
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
    resumeCursor: z.string().optional().describe('To count the rest: counts add up.'),
    allowedDimensions: z.array(z.string()).describe('Details that the workspace allows.'),
  }),
  run: async (call, { code: named, since, until, limit = DEFAULT_LIMIT, cursor: from }) => {
    const { client, signal, report } = call;
    const endsAt = Date.now() + SEARCH_MS;
    checkPeriod({ since, until }, { since: 'since', until: 'until' });
    const code = named === undefined ? undefined : await codeIdOf(call, named);
    const isCounting = from?.kind !== 'list';
    const counts = new ScanCounter({ qrCodeId: code, since, until });
    const allowed = new Set<string>();
    const query = omitUndefined({ ...counts.query, cursor: from?.cursor });
    const listed = await listRows(
      (pageSignal) => client.scans.list(query, { signal: pageSignal }).pages(),
      { from, limit, endsAt, signal },
      (row) => counts.add(row),
      ({ allowedDimensions }, isFull) => {
        for (const dimension of allowedDimensions) allowed.add(dimension);
        report(counts.read, undefined, `${counts.read} scans read`);
        return !counts.isOver && (isCounting || !isFull);
      },
    );
    const scans = listed.rows.map(scanRecord);
    const dimensions = [...allowed].map((dimension) => showText(dimension));
    /** Where to continue, if there is more to count. */
    const after = counts.isOver ? undefined : listed.next;
    const complete = after === undefined;
    const { scans: count, read, readUntil } = counts;
    const withoutCode = code === undefined ? 0 : counts.withoutCode;
    // The most scanned and the latest first.
    const perCode = isCounting ? firstOf(counts.byCode(), 'other codes') : {};
    const perDay = isCounting ? firstOf(counts.byDay().reverse(), 'earlier') : {};
    // A code that doesn't exist has no scans, either.
    if (count === 0 && code !== undefined && complete) await requireCode(call, code);
    const nextCursor = listed.rest ?? (isCounting ? undefined : after && writeCursor('list', after));
    const resumeCursor = isCounting ? after && writeCursor('count', after) : undefined;
    return {
      text: lines(
        isCounting ? countText(counts, resumeCursor) : '',
        countsText('Per QR code', perCode),
        countsText('Per day in UTC', perDay),
        code === undefined
          ? ''
          : `These are the scans of QR code ${showText(code)} among ${read} that this server read: the service can't filter by code.`,
        withoutCode === 0 ? '' : `${withoutCode} were left out because they don't name their code.`,
        ...scans.map(scanLine),
        nextCursor === undefined ? '' : `To list the next ones, pass the cursor "${nextCursor}".`,
        listText('Allowed dimensions', dimensions),
      ),
      structured: {
        ...(isCounting && { count, perCode, perDay, complete }),
        ...omitUndefined({ countedUntil: resumeCursor && readUntil, nextCursor, resumeCursor }),
        ...(withoutCode > 0 && { withoutCode }),
        read,
        scans,
        allowedDimensions: [...allowed],
      },
    };
  },
});

/** @throws ApiError if the code does not exist; a key without `qr:read` can't tell */
async function requireCode({ client, signal }: ToolCall, id: string): Promise<void> {
  await client.qr.get(id, { signal }).catch((error: unknown) => {
    if (isOwnError(error, 404)) throw error;
  });
}

function countText({ scans, readUntil = 'an unknown time' }: ScanCounter, resumeCursor?: string): string {
  return words(
    `${scans === 0 ? 'No' : scans} ${scans === 1 ? 'scan was' : 'scans were'} found.`,
    resumeCursor === undefined
      ? ''
      : `Not all could be read in time: the last one is from ${readUntil}. To count the rest, pass the cursor "${resumeCursor}", and add the counts.`,
  );
}

function countsText(title: string, counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${showText(name)}: ${count}`);
  return listText(title, parts);
}

function listText(title: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `${title}: ${parts.join(', ')}.`;
}

import { isOwnError, omitUndefined, invalidParameter, showText } from '@qr-service/core/connector';
import * as z from 'zod';
import { text, time } from '../schemas/arguments.ts';
import { SCAN_SCHEMA, scanLine } from '../schemas/records.ts';
import { codeIdOf } from './oneCode.ts';
import { countScans, type ScanCounts } from './scanCounts.ts';
import { cursorArgument, DEFAULT_LIMIT, limitArgument, readPages, writeCursor } from './lists.ts';
import { defineTool, lines, READS, SEARCH_MS, words, type ToolCall } from './Tool.ts';

/** Counts and lists scans. */
export const listScans = defineTool({
  name: 'list_scans',
  title: 'List Scans',
  description: [
    'Counts scans, per QR code and per day, and lists the first of them.',
    'Use it to see how often, when and where codes were scanned: set since, and code for one of them.',
    `Returns counts of all these scans, or says that not all could be read in time and how to continue, and the first ${DEFAULT_LIMIT} of them. Scans have only the details, such as country, that the workspace's privacy settings allow.`,
    'It never identifies visitors.',
  ].join(' '),
  annotations: READS,
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
    if (since !== undefined && until !== undefined && until <= since)
      throw invalidParameter(until, { label: 'until' }, 'later than since');
    const code = named === undefined ? undefined : await codeIdOf(call, named);
    const isCounting = from?.kind !== 'list';
    const counts = countScans({ code, since, until });
    const scans: Record<string, unknown>[] = [];
    const allowed = new Set<string>();
    /** Where the first scan is that isn't shown. */
    let rest: string | undefined;
    let pageCursor = from?.cursor;
    let skip = from?.skip ?? 0;
    const query = omitUndefined({ since: justBefore(since), cursor: from?.cursor });
    const pages = (pageSignal: AbortSignal) => client.scans.list(query, { signal: pageSignal }).pages();
    const next = await readPages(pages, { endsAt, signal }, ({ rows, allowedDimensions, nextCursor }) => {
      for (const dimension of allowedDimensions) allowed.add(dimension);
      for (const [index, row] of rows.entries()) {
        const scan = index < skip ? undefined : counts.add(row);
        if (scan === undefined) continue;
        if (scans.length < limit) scans.push(scan);
        else rest ??= writeCursor('list', pageCursor, index);
      }
      skip = 0;
      pageCursor = nextCursor;
      report(counts.read, undefined, `${counts.read} scans read`);
      return !counts.isOver() && (isCounting || scans.length < limit);
    });
    const isOver = counts.isOver();
    const complete = isOver || next === undefined;
    // A code that doesn't exist has no scans: that would be no answer.
    if (counts.count === 0 && code !== undefined && complete) await requireCode(call, code);
    const after = isOver ? undefined : next;
    const nextCursor = rest ?? (isCounting ? undefined : after && writeCursor('list', after));
    const resumeCursor = isCounting ? after && writeCursor('count', after) : undefined;
    const { read, withoutCode } = counts;
    return {
      text: lines(
        isCounting ? countText(counts, resumeCursor) : '',
        code === undefined
          ? ''
          : `This server kept the scans of QR code ${showText(code)} out of ${read}: the service can't filter by code.`,
        withoutCode === 0 ? '' : `${withoutCode} were left out because they don't name their code.`,
        ...scans.map(scanLine),
        nextCursor === undefined ? '' : `To list the next ones, pass the cursor "${nextCursor}".`,
        textOf('Allowed dimensions', [...allowed]),
      ),
      structured: {
        ...(isCounting && {
          count: counts.count,
          perCode: counts.perCode(),
          perDay: counts.perDay(),
          complete,
        }),
        ...omitUndefined({
          countedUntil: resumeCursor && counts.readUntil,
          withoutCode: withoutCode || undefined,
          nextCursor,
          resumeCursor,
        }),
        read,
        scans,
        allowedDimensions: [...allowed],
      },
    };
  },
});

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

function countText(counts: ScanCounts, resumeCursor: string | undefined): string {
  const { count, readUntil = 'an unknown time' } = counts;
  return lines(
    words(
      `${count === 0 ? 'No' : count} ${count === 1 ? 'scan was' : 'scans were'} found.`,
      resumeCursor === undefined
        ? ''
        : `Not all could be read in time: the last one that was read is of ${readUntil}. To count the rest, pass the cursor "${resumeCursor}", and add up.`,
    ),
    textOf('Per QR code', Object.entries(counts.perCode())),
    textOf('Per day in UTC', Object.entries(counts.perDay())),
  );
}

function textOf(title: string, parts: readonly (string | readonly [string, number])[]): string {
  const shown = parts.map((part) =>
    typeof part === 'string' ? showText(part) : `${showText(part[0])}: ${part[1]}`,
  );
  return shown.length === 0 ? '' : `${title}: ${shown.join(', ')}.`;
}

import { isApiError, type Page, type QrCode } from '@qr-service/core';
import {
  foldCase,
  INPUTS,
  isParameterError,
  isReferredTo,
  omitUndefined,
  readCodeReference,
} from '@qr-service/core/connector';
import * as z from 'zod';
import { CODE_SCHEMA, changedLine, codeRecord } from '../schemas/records.ts';
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
import { lines, READS, SEARCH_MS, type Tool, type ToolCall } from './Tool.ts';

/** Kind of this tool's cursors. */
const KIND = 'codes';

/** Finds codes. */
export const findQrCodes: Tool = {
  name: 'find_qr_codes',
  title: 'Find QR Codes',
  description: [
    'Lists QR codes of the workspace, or finds them by ID, short link, part of the name, or time of the last change.',
    'Use it to find the ID of a code that the user names, or to see what exists before creating more.',
    `Returns the first ${DEFAULT_LIMIT} matching codes unless limit says otherwise, how many more there are, and nextCursor. No match is an empty list.`,
    'It never returns images or scans.',
  ].join(' '),
  annotations: READS,
  operations: ['qr.list'],
  input: z.object({
    code: z.string().optional().describe("The QR code's ID, or its short link as printed."),
    name: z.string().optional().describe('Part of the name or slug, in any case, with or without accents.'),
    updatedSince: z.string().optional().describe(INPUTS.updatedSince.help),
    limit: limitArgument('codes'),
    cursor: cursorArgument('nextCursor', 'code, name and updatedSince'),
  }),
  output: z.object({
    qrCodes: z.array(CODE_SCHEMA),
    more: z.int().describe('Number of further matching codes.'),
    moreIsMinimum: z.boolean().describe('Whether there may be even more.'),
    nextCursor: z.string().optional(),
  }),
  run: async (call) => {
    const { args, targets } = call;
    const limit = readLimit(args);
    const { rows, more, moreIsMinimum, read, nextCursor } = await find(call, limit);
    const qrCodes = rows.map((code) => codeRecord(code, targets.of(code)));
    const none = moreIsMinimum
      ? `No QR codes were found among the first ${read}.`
      : 'No QR codes were found.';
    const list = qrCodes.length === 0 ? [none] : qrCodes.map(changedLine);
    return {
      text: lines(...list, moreText({ more, moreIsMinimum, nextCursor })),
      structured: { qrCodes, more, moreIsMinimum, ...omitUndefined({ nextCursor }) },
    };
  },
};

/** The first matching codes, and how many more there are. */
interface Found {
  rows: QrCode[];
  /** Matching codes after those. */
  more: number;
  /** Whether there may be even more: counting stopped. */
  moreIsMinimum: boolean;
  /** Codes that were looked through. */
  read: number;
  nextCursor?: string | undefined;
}

/** Codes that are read to count the others. */
const MAX_COUNTED = 1000;
/** Codes of the first page: every service accepts as many (see `QrCodes`). */
const MAX_FIRST = 50;

async function find({ client, args, signal, report }: ToolCall, limit: number): Promise<Found> {
  const code = args.text('code');
  const query = { code, name: args.text('name'), updatedSince: args.time('updatedSince') };
  const { name, updatedSince } = query;
  const folded = foldCase(name ?? '');
  const hasName = (row: QrCode) => foldCase(row.name).includes(folded) || foldCase(row.slug).includes(folded);
  if (name !== undefined && folded === '') args.invalid('name', 'text with at least one letter or digit');
  const from = readCursor(args, [KIND], query)?.place ?? START;
  const isReferred = code === undefined ? undefined : isReferredTo(code);
  const matches = (row: QrCode) => hasName(row) && isReferred?.(row) !== false;
  if (code !== undefined && updatedSince === undefined) {
    const reference = readCodeReference(code);
    const found = 'id' in reference ? await findById({ client, signal }, reference.id) : undefined;
    if (found !== undefined) return { rows: [found].filter(matches), more: 0, moreIsMinimum: false, read: 1 };
  }
  const shown = new ShownRows<QrCode>(code === undefined ? limit : 1);
  let read = 0;
  const { qr } = client;
  // A walk begins with the first page, so that one can't be read again: all of its codes are shown.
  const firstSize = code === undefined ? Math.min(limit, MAX_FIRST) : undefined;
  async function* pagesFrom(cursor: string | undefined, pageSignal: AbortSignal) {
    const options = { signal: pageSignal };
    const rest = omitUndefined({ updatedSince });
    if (cursor !== undefined || firstSize === undefined) {
      yield* qr.list({ ...rest, ...omitUndefined({ cursor }) }, options).pages();
      return;
    }
    const first = await qr.listPage({ ...rest, limit: firstSize }, options);
    yield first;
    if (first.nextCursor !== undefined)
      yield* qr.list({ ...rest, cursor: first.nextCursor }, options).pages();
  }
  const end = await readList<QrCode, Page<QrCode>>(
    { pagesFrom, from, endsAt: Date.now() + SEARCH_MS, signal },
    (rows: Placed<QrCode>[]) => {
      read += rows.length;
      for (const [row, at] of rows) if (matches(row)) shown.add(row, at);
      report(read, undefined, `${read} QR codes read`);
      return code === undefined ? shown.next === undefined || read < MAX_COUNTED : shown.count === 0;
    },
  );
  // There is only one code with this ID or link.
  const isEnd = end.isEnd || (code !== undefined && shown.count > 0);
  // Codes neither repeat nor disappear behind a cursor, although they are edited (API text, "Endpoints", 2).
  const next = shown.next ?? (isEnd ? undefined : end.place);
  return {
    rows: shown.rows,
    more: shown.count - shown.rows.length,
    moreIsMinimum: !isEnd,
    read,
    nextCursor: next && writeCursor(KIND, next, query),
  };
}

/** A sentence about the codes that were left out; empty if there are none. */
function moreText({
  more,
  moreIsMinimum,
  nextCursor,
}: Pick<Found, 'more' | 'moreIsMinimum' | 'nextCursor'>): string {
  if (nextCursor === undefined) return '';
  const count = `${moreIsMinimum ? 'at least ' : ''}${more} more`;
  const there = more === 0 ? 'There may be more' : `There ${more === 1 ? 'is' : 'are'} ${count}`;
  return `${there}. Narrow the search, or pass the cursor "${nextCursor}".`;
}

/** The code with exactly this ID; undefined if there is none. */
async function findById(
  { client, signal }: Pick<ToolCall, 'client' | 'signal'>,
  id: string,
): Promise<QrCode | undefined> {
  try {
    const code = await client.qr.get(id, { signal });
    return code.id === id ? code : undefined;
  } catch (error) {
    // The list shows whether a proxy was wrong.
    if (isParameterError(error) || (isApiError(error) && [400, 404, 422].includes(error.status)))
      return undefined;
    throw error;
  }
}
